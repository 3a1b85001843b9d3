#!/bin/sh
# Starts recall over the Model Context Protocol for the plugin, on standard input and output: with the Node and the
# package that mem has written down, else the package around this folder, else the `mem` of the path.
here=${0%/*}
dir=${MEM_DATA_DIR:-${HOME:+$HOME/}.mem}
case $dir in "~/"*) dir=${HOME:+$HOME/}${dir#"~/"} ;; esac

runtime='' bundle=''
# What a relative path means depends on the project that the host works in: nothing is read from there.
case $dir in
/*) [ -O "$dir/hook-runtime" ] && { read -r runtime; read -r bundle; } <"$dir/hook-runtime" ;;
esac
[ -x "$runtime" ] || runtime=node
if command -v "$runtime" >/dev/null; then
  for package in "${bundle%/dist/hook.cjs}" "$here/../.."; do
    [ -n "$package" ] && [ -f "$package/bin/mem.js" ] && exec "$runtime" "$package/bin/mem.js" mcp
  done
fi
command -v mem >/dev/null && exec mem mcp
echo "mem: the agent-mem package is not installed, so there is no recall." >&2
exit 1
