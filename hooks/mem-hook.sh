#!/bin/sh
# Sends one event of a host agent to the worker and prints the reply: mem-hook.sh <host> <event>, payload on stdin.
# Always exits 0 and prints nothing else, so it never blocks the host. Two clients: perl, an eighth of a Node start, and
# Node where perl is missing or the worker cannot be reached.
# A host with a POSIX shell sources this file, which saves starting a second shell; argument 3 is then its folder.
# Argument 4, --failed=<reason>, means that delivery was tried already.
host=$1 event=$2 here=${3:-${0%/*}} self=${3:+mem-hook.sh}
[ "$here" != "$0" ] || here=.
case $here in /*) ;; *) here=$PWD/$here ;; esac # the client changes its directory
self=$here/${self:-${0##*/}}
# The reply to Setup goes to standard error. If that is closed, `exec` would end the shell with an error.
case $event in setup) (: >&2) || exit 0; exec >&2 ;; esac
exec 2>/dev/null
umask 077
[ -z "${MEM_GENERATING-}" ] || exit 0 # mem itself runs the host to write records
case /$host/$event/ in *//* | *[!A-Za-z0-9_/-]*) exit 0 ;; esac

dir=${MEM_DATA_DIR:-${HOME:+$HOME/}.mem} # relative without a home, and refused below
case $dir in "~/"*) dir=${HOME:+$HOME/}${dir#"~/"} ;; esac

# Seconds, as in src/hosts/hook/deadlines.ts, which gives the reasons.
case $event in
session-start) deadline=3 ;;
setup | user-prompt-submit | pre-tool-use) deadline=1.5 ;;
before-agent | user-prompt-submitted | before-submit-prompt) deadline=1.5 ;;
session-end) deadline=0.8 ;;
*) deadline=1 ;;
esac

is_checked=''
# True if only this user can write to the data directory. The shell's `test` cannot read a mode.
is_private() {
  [ -z "$is_checked" ] || return 0
  case $(command -p ls -ldn "$dir/." || ls -ldn "$dir/.") in d????-??-*) [ -O "$dir/." ] ;; *) return 1 ;; esac
}

# Runs the Node client. With a reason (--failed=...) it cleans and spools the event, and starts the worker at a session
# start. Without one it tries to deliver first.
node_hook() {
  case $event in setup) [ $# -eq 0 ] || exit 0 ;; esac # a late reply is useless
  runtime='' bundle=''
  [ -n "$dir" ] && [ -O "$dir/hook-runtime" ] && is_private &&
    { read -r runtime; read -r bundle; } <"$dir/hook-runtime"
  [ -x "$runtime" ] || runtime=node
  for main in "$bundle" "$here/../dist/hook.cjs" ''; do
    [ -f "$main" ] && break
  done
  if [ -n "$main" ]; then
    set -- "$runtime" "$main" "$host" "$event" "$@"
  else
    # A user with the plugin alone, or after the package has moved, would never learn why nothing is stored.
    [ -n "$bundle" ] && why='has moved or is gone' || why='is not installed'
    command -v mem >/dev/null || tell "the agent-mem package $why, so nothing is remembered. $next"
    set -- mem hook "$host" "$event" "$@"
  fi
  # NODE_EXTRA_CA_CERTS costs every Node start 36 ms. The worker needs it and gets it back.
  MEM_HOOK_CA_CERTS=${NODE_EXTRA_CA_CERTS-}
  export MEM_HOOK_CA_CERTS
  unset NODE_EXTRA_CA_CERTS NODE_OPTIONS
  command -v "$1" >/dev/null || tell "Node is missing, so nothing is remembered. $next"
  case $event in setup) exec 2>&1 ;; esac
  "$@"
  exit 0
}

# A message to the user, once a session, in the form of the hosts that show one.
next='Install it, then run `mem repair`.'
tell() {
  case $host/$event in claude-code/session-start | codex/session-start | gemini-cli/session-start)
    read -r payload || [ -n "$payload" ] || exit 0 # no payload, no event
    trap '' PIPE
    printf '{"systemMessage":"mem: %s"}\n' "$1"
    ;;
  esac
  exit 0
}

# A relative path depends on the project that the host works in: never read from there.
case $dir in /*) ;; *) dir='' && node_hook ;; esac
# Another user's directory gets nothing and returns nothing.
[ -O "$dir" ] || [ ! -e "$dir" ] || exit 0
case ${4-} in --failed=*) node_hook "$4" ;; esac
# No socket: Windows, or before the first start.
[ -S "$dir/worker.sock" ] && [ -O "$dir/worker.sock" ] || node_hook

# The perl client, without modules where possible: each would double its start time. It connects before it reads the
# payload, so an early exit leaves the payload to the Node client: 7 connection refused; 28 connect timeout; 29 the
# worker hung for another hook just now; 30 other users can write to the directory; 31 the socket is not ours; any other
# code: unusable here. A later failure passes payload and reason to this file again.
# It checks the directory after entering it, so it cannot be swapped between check and use. The relative socket name also
# fits into the address whatever the length of the path.
client='
my ($dir, $deadline, $host, $event, $self, $here) = @ARGV;
$SIG{PIPE} = "IGNORE";
$SIG{ALRM} = sub { exit 28 };
alarm $deadline + 1; # whole seconds; the exact wait is below
# The Node client is started this many seconds before the deadline, so that it is ready in time.
my $early = 0.2;

chdir $dir or exit 1;
my @place = stat ".";
exit 30 if !@place || $place[4] != $> || $place[2] & 022;
my @socket = lstat "worker.sock";
exit 31 if !@socket || $socket[4] != $> || $socket[2] & 022;

# The format of src/hosts/hook/hung-mark.ts: inode and creation second of the socket name the worker.
my ($mark, $age) = ("", -1);
if (open my $file, "<", "worker-hung") { $mark = <$file> || ""; $age = time - (stat $file)[9] }
my $hung = $age >= 0 && $mark =~ /\A$socket[1]:$socket[9] /;
exit 29 if $hung && $age < 10 && $event ne "session-start";
my $least = $event ne "session-end" && $ENV{MEM_HOOK_TIMEOUT_MS} || "";
$deadline = $1 / 1000 if $least =~ /\A(\d{1,5})\z/ && $1 > $deadline * 1000; # for slow machines
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
  last if defined $count or $! != 11 && $! != 35; # a non-blocking pipe is empty for now
  vec(my $more = "", 0, 1) = 1;
  select $more, undef, undef, undef;
}

$SIG{ALRM} = sub { hand_over("timeout") };
alarm $deadline + 1;
my $request = "POST /api/hooks/$host/$event HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
  . "Content-Length: " . length($payload) . "\r\nConnection: close\r\n\r\n$payload";
my $sent = 0;
while ($sent < length $request) {
  $sent += syswrite($worker, $request, length $request, $sent) || last; # read an early error reply anyway
}

my ($response, $head, $length, $next) = ("", "", 0);
until ($head && length($response) >= length($head) + $length) {
  unless (wait_for_answer($deadline - $early)) {
    start_next("timeout");
    wait_for_answer($early - 0.03) or hand_over("timeout"); # starting it took some time
  }
  sysread $worker, $response, 65536, length $response or hand_over("broken");
  next if $head || $response !~ /\r\n\r\n/;
  $response =~ m{\A(HTTP/1\.[01] (\d{3})\b.*?\r\n\r\n)}s or hand_over("broken");
  $2 == 200 or hand_over("status-$2");
  $head = $1;
  $head =~ /^content-length: *(\d+)/mi or hand_over("broken");
  $length = $1;
}
alarm 0; # exit waits for the Node client: killed there, this file would send an empty payload
syswrite STDOUT, $response, $length, length $head;
unlink "worker-hung" if $hung; # the worker replies again
exit 0;

sub wait_for_answer {
  vec(my $ready = "", fileno $worker, 1) = 1;
  return select $ready, undef, undef, $_[0];
}

# It waits for the payload, and exits silently when none comes.
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
  case $code in 7 | 28 | 29 | 31) is_checked=yes ;; esac
  case $code in
  0 | 30) exit 0 ;;
  7) node_hook --failed=unreachable ;;
  28) node_hook --failed=timeout ;;
  29) node_hook --failed=hung ;;
  esac
fi
node_hook
