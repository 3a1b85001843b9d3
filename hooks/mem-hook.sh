#!/bin/sh
# Pipes one event of a host agent to the worker and prints its answer: mem-hook.sh <host> <event>, payload on stdin.
# Exits 0 whatever happens and prints nothing else, so that the host is never blocked. While the worker answers no Node
# is started, only perl, or curl where there is no perl: an eighth of a Node start, or almost a half.
# hooks/claude-code/mem-hook.sh is the same file, for hosts that copy their plugins. Hosts whose shell is a POSIX one
# read this file into it, which saves starting a second; the third argument is then the folder of this file. A fourth,
# --failed=<why>, says that the payload was tried already.
host=$1 event=$2 here=${3:-${0%/*}} self=${3:+mem-hook.sh}
[ "$here" != "$0" ] || here=.
case $here in /*) ;; *) here=$PWD/$here ;; esac # the client works elsewhere
self=$here/${self:-${0##*/}}
# What Setup is answered is for standard error. When that is closed, `exec` would end the shell with an error.
case $event in setup) (: >&2) || exit 0; exec >&2 ;; esac
exec 2>/dev/null
umask 077
[ -z "${MEM_GENERATING-}" ] || exit 0 # the host's command, asked by mem itself to write memory
case /$host/$event/ in *//* | *[!A-Za-z0-9_/-]*) exit 0 ;; esac

dir=${MEM_DATA_DIR:-${HOME:+$HOME/}.mem} # without a home a relative path, which is none
case $dir in "~/"*) dir=${HOME:+$HOME/}${dir#"~/"} ;; esac

# Seconds; the same as in src/hosts/hook/deadlines.ts, where the reasons stand.
case $event in
session-start) deadline=3 ;;
setup | user-prompt-submit | pre-tool-use) deadline=1.5 ;;
session-end) deadline=0.8 ;;
*) deadline=1 ;;
esac

payload='' looked_at=''
# True when only this user can write to the data directory. No test of the shell shows a mode.
is_private() {
  [ -z "$looked_at" ] || return 0
  case $(command -p ls -ldn "$dir/." || ls -ldn "$dir/.") in d????-??-*) [ -O "$dir/." ] ;; *) return 1 ;; esac
}

# Hands the event to Node, which cleans and spools what could not be delivered, and starts the worker when a session
# starts. With no reason given it makes the whole delivery. What nobody has read yet, Node reads itself.
node_hook() {
  case $event in setup) [ $# -eq 0 ] || exit 0 ;; esac # nobody waits for a late answer
  runtime='' bundle=''
  [ -n "$dir" ] && [ -O "$dir/hook-runtime" ] && is_private &&
    { read -r runtime; read -r bundle; } <"$dir/hook-runtime"
  [ -x "$runtime" ] || runtime=node
  for main in "$bundle" "$here/../dist/hook.cjs" "$here/../../dist/hook.cjs" ''; do
    [ -f "$main" ] && break
  done
  if [ -n "$main" ]; then
    set -- "$runtime" "$main" "$host" "$event" "$@"
  else
    # Whoever has the plugin alone would otherwise never learn why nothing is remembered.
    command -v mem >/dev/null || not_installed
    set -- mem hook "$host" "$event" "$@"
  fi
  # A company's certificates cost every start of Node 36 ms. The worker, which needs them, is given them back.
  MEM_HOOK_CA_CERTS=${NODE_EXTRA_CA_CERTS-}
  export MEM_HOOK_CA_CERTS
  unset NODE_EXTRA_CA_CERTS NODE_OPTIONS
  command -v "$1" >/dev/null || exit 0
  case $event in setup) exec 2>&1 ;; esac
  if [ -n "$payload" ]; then printf %s "$payload" | "$@"; else "$@"; fi
  exit 0
}

# What a host shows to its user, once a session.
not_installed() {
  case $event in session-start)
    [ -n "$payload" ] || read -r payload || [ -n "$payload" ] || exit 0 # no payload: no event
    trap '' PIPE
    printf '%s\n' '{"systemMessage":"mem: the agent-mem package is not installed, so nothing is remembered."}'
    ;;
  esac
  exit 0
}

# What a relative path means depends on the project that the host works in: nothing is read from there.
case $dir in /*) ;; *) dir='' && node_hook ;; esac
# Another user's directory: its owner must not be told anything, and says nothing here.
[ -O "$dir" ] || [ ! -e "$dir" ] || exit 0
case ${4-} in --failed=*) node_hook "$4" ;; esac
# On Windows and before the first start there is no socket here.
[ -S "$dir/worker.sock" ] && [ -O "$dir/worker.sock" ] || node_hook

# The client in perl, without a module where that can be: each would double its start. It connects before it reads the
# payload, so that whatever ends it early (7: nobody listens; 28: not connected in time; 29: it hung for another hook
# just now; 30: other users can write to the directory; 31: the socket is not ours alone; else it cannot do this here)
# leaves the payload to the next one. Later it hands what it has read to this file, with the reason.
# It looks at the directory from the inside, where nobody can swap it between the look and the use. The short name of the
# socket is one that fits into its address, however long the directory's is.
client='
my ($dir, $deadline, $host, $event, $self, $here) = @ARGV;
$SIG{PIPE} = "IGNORE";
$SIG{ALRM} = sub { exit 28 };
alarm $deadline + 1; # whole seconds: the net under the exact wait below
# Seconds before the deadline at which the next one is started, so that it is ready when its turn comes.
my $early = 0.2;

chdir $dir or exit 1;
my @place = stat ".";
exit 30 if !@place || $place[4] != $> || $place[2] & 022;
my @socket = lstat "worker.sock";
exit 31 if !@socket || $socket[4] != $> || $socket[2] & 022;

# src/hosts/hook/hung-mark.ts: the mark of this worker, by the number of its socket and the second it was made in.
my ($mark, $age) = ("", -1);
if (open my $file, "<", "worker-hung") { $mark = <$file> || ""; $age = time - (stat $file)[9] }
my $hung = $age >= 0 && $mark =~ /\A$socket[1]:$socket[9] /;
exit 29 if $hung && $age < 10 && $event ne "session-start";
$deadline = 0.5 if $hung && $event eq "session-start";
my $linux = $^O eq "linux";
$linux or require Socket;
my $address = $linux ? pack "S a* x", 1, "worker.sock" : Socket::pack_sockaddr_un("worker.sock");
socket my $worker, 1, $linux ? 1 : Socket::SOCK_STREAM(), 0 or exit 1;
connect $worker, $address or exit($! == 111 || $! == 61 ? 7 : 1);
alarm 0;

my $payload = "";
for (;;) {
  my $count = sysread STDIN, $payload, 65536, length $payload;
  next if $count;
  last if defined $count or $! != 11 && $! != 35; # a pipe that does not block has no more for now
  vec(my $more = "", 0, 1) = 1;
  select $more, undef, undef, undef;
}
exit 0 if $payload eq "";

$SIG{ALRM} = sub { hand_over("timeout") };
alarm $deadline + 1;
my $request = "POST /api/hooks/$host/$event HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
  . "Content-Length: " . length($payload) . "\r\nConnection: close\r\n\r\n$payload";
my $sent = 0;
while ($sent < length $request) {
  $sent += syswrite($worker, $request, length $request, $sent) || last; # an early refusal is still to be read
}

my ($response, $head, $length, $next) = ("", "", 0);
until ($head && length($response) >= length($head) + $length) {
  unless (wait_for_answer($deadline - $early)) {
    start_next("timeout");
    wait_for_answer($early - 0.03) or hand_over("timeout"); # the start took some of it
  }
  sysread $worker, $response, 65536, length $response or hand_over("broken");
  next if $head || $response !~ /\r\n\r\n/;
  $response =~ m{\A(HTTP/1\.[01] (\d{3})\b.*?\r\n\r\n)}s or hand_over("broken");
  $2 == 200 or hand_over("status-$2");
  $head = $1;
  $head =~ /^content-length: *(\d+)/mi or hand_over("broken");
  $length = $1;
}
syswrite STDOUT, $response, $length, length $head;
unlink "worker-hung" if $hung; # it answers again
exit 0;

sub wait_for_answer {
  vec(my $ready = "", fileno $worker, 1) = 1;
  return select $ready, undef, undef, $_[0];
}

# It waits for the payload, and ends without a word when none comes.
sub start_next {
  $next or open $next, "|-", "/bin/sh", $self, $host, $event, $here, "--failed=$_[0]";
}

sub hand_over {
  alarm 0;
  start_next($_[0]);
  print $next $payload;
  close $next;
  exit 0;
}
'
if command -v perl >/dev/null; then
  (
    unset PERL5OPT PERL5LIB PERL5DB
    exec perl -f -C0 -e "$client" "$dir" "$deadline" "$host" "$event" "$self" "$here"
  )
  code=$?
  case $code in 7 | 28 | 29 | 31) looked_at=yes ;; esac
  case $code in
  0 | 30) exit 0 ;;
  7) node_hook --failed=unreachable ;;
  28) node_hook --failed=timeout ;;
  29) node_hook --failed=hung ;;
  31) node_hook ;;
  esac
fi

# The same for curl.
go_inside() {
  cd "$dir" && [ -O . ] && case $(LC_ALL=C && export LC_ALL && { command -p ls -ldn . worker.sock || ls -ldn . worker.sock; }) in
  d????-??-*"
"s????-??-*) ;;
  *) return 1 ;;
  esac
}

payload=$(LC_ALL=C cat)
[ -n "$payload" ] || exit 0
# -q: no ~/.curlrc; --noproxy: no proxy of the environment; -w: the status stands behind the answer.
# No locale and no openssl.cnf: 0.5 ms less.
set -- curl -q -s --noproxy '*' --unix-socket worker.sock --max-time "$deadline" -w '%{http_code}' \
  -H 'Content-Type: application/json' -H 'Expect:' --data-binary @- "http://localhost/api/hooks/$host/$event"
# dash feeds a here-document through a pipe, which saves a process; other shells may write it to a file on the disk.
if [ -n "${BASH_VERSION-}${ZSH_VERSION-}${KSH_VERSION-}" ]; then
  answer=$(go_inside || exit 99; printf %s "$payload" | LC_ALL=C OPENSSL_CONF=/dev/null "$@")
else
  answer=$(
    go_inside || exit 99
    LC_ALL=C OPENSSL_CONF=/dev/null "$@" <<END
$payload
END
  )
fi

case $?:$answer in
0:*200) [ ! -e "$dir/worker-hung" ] || command -p rm -f "$dir/worker-hung" || rm -f "$dir/worker-hung" ;; # it answers again
0:*) node_hook "--failed=status-${answer#"${answer%???}"}" ;;
7:*) node_hook --failed=unreachable ;;
28:*) node_hook --failed=timeout ;;
18:* | 52:* | 55:* | 56:*) node_hook --failed=broken ;;
*) node_hook ;; # no curl, or one that cannot do this
esac

answer=${answer%200}
if [ -n "$answer" ]; then
  trap '' PIPE
  printf %s "$answer"
fi
exit 0
