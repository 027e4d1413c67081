# SPDX-License-Identifier: Apache-2.0
# An app as people write them: HTTP/1.1 with a process for each connection. Arguments: port.
use strict;
use warnings;
use IO::Socket::INET;
use Digest::SHA qw(sha1 sha256_hex);
use MIME::Base64 qw(encode_base64);

my $port = shift;
my $listener = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => $port, Listen => 64, ReuseAddr => 1) or die "listen: $!";
$SIG{CHLD} = 'IGNORE';
$SIG{PIPE} = 'IGNORE';
while (1) {
    my $client = $listener->accept or next;
    my $child = fork;
    if (defined $child && $child == 0) {
        close $listener;
        eval { serve($client) };
        exit 0;
    }
    close $client;
}

sub serve {
    my ($c) = @_;
    binmode $c;
    my $request = <$c>;
    my (@head, %header);
    while (defined(my $line = <$c>)) {
        $line =~ s/\r\n$//;
        last if $line eq '';
        push @head, $line;
        my ($name, $value) = split /: */, $line, 2;
        $header{lc $name} = $value;
    }
    my (undef, $target) = split ' ', $request;
    $request =~ s/\r\n$//;
    my ($path, $query) = split /\?/, $target, 2;
    $query = '' unless defined $query;
    if ($path eq '/echo') {
        answer($c, 'text/plain', join("\n", $request, @head) . "\n");
    } elsif ($path eq '/page') {
        answer($c, 'text/html', '<!doctype html><title>page</title>');
    } elsif ($path eq '/events') {
        print $c "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n\r\n";
        $c->flush;
        for (my $n = 0; ; $n++) {
            print $c "data: $n\n\n" or last;
            $c->flush or last;
            select undef, undef, undef, 0.1;
        }
    } elsif ($path eq '/flood') {
        print $c "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\n\r\n";
        my $piece = 'x' x 65536;
        while (1) { print $c $piece or last; }
    } elsif ($path eq '/silent') {
        sleep 600;
    } elsif ($path eq '/sum') {
        my $sum = Digest::SHA->new(256);
        my $left = $header{'content-length'};
        while ($left > 0) {
            my $n = read $c, my $piece, $left < 65536 ? $left : 65536;
            last unless $n;
            $sum->add($piece);
            $left -= $n;
        }
        answer($c, 'text/plain', $sum->hexdigest);
    } elsif ($path eq '/hostile') {
        # What is in the query, a field a line, hex.
        print $c "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 2\r\n" . pack('H*', $query) . "\r\nok";
    } elsif ($path eq '/ws') {
        socket_of($c, \%header);
    } else {
        print $c "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";
    }
}

sub answer {
    my ($c, $type, $body) = @_;
    print $c "HTTP/1.1 200 OK\r\nContent-Type: $type\r\nContent-Length: " . length($body) . "\r\n\r\n$body";
}

# RFC 6455: what comes goes back, the first message is the request's head; `close CODE` closes with it.
sub socket_of {
    my ($c, $h) = @_;
    my $accept = encode_base64(sha1($h->{'sec-websocket-key'} . '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'), '');
    my $protocol = defined $h->{'sec-websocket-protocol'} ? 'Sec-WebSocket-Protocol: ' . (split / *, */, $h->{'sec-websocket-protocol'})[0] . "\r\n" : '';
    print $c "HTTP/1.1 101 Switching Protocols\r\nDate: Mon, 05 Jan 2026 00:00:00 GMT\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: $accept\r\n$protocol\r\n";
    frame($c, 1, join("\n", map { "$_: $h->{$_}" } sort keys %$h));
    my $message = '';
    while (1) {
        my $first = bytes($c, 2) or last;
        my ($op, $length) = unpack 'CC', $first;
        $length &= 127;
        $length = unpack 'n', bytes($c, 2) if $length == 126;
        $length = unpack 'Q>', bytes($c, 8) if $length == 127;
        my $mask = bytes($c, 4);
        my $data = $length ? bytes($c, $length) : '';
        $data ^= substr($mask x (int($length / 4) + 1), 0, $length);
        if (($op & 15) == 8) { frame($c, 8, $data); last; }
        if (($op & 15) == 9) { frame($c, 10, $data); next; }
        $message .= $data;
        next unless $op & 128;
        if ($message =~ /^close (\d+)$/) { frame($c, 8, pack('n', $1) . 'told'); bytes($c, 2); last; }
        frame($c, 1, $message);
        $message = '';
    }
}

sub frame {
    my ($c, $op, $data) = @_;
    my $length = length $data;
    print $c pack('C', 128 | $op) . ($length < 126 ? pack('C', $length) : $length < 65536 ? pack('Cn', 126, $length) : pack('CQ>', 127, $length)) . $data;
    $c->flush;
}

sub bytes {
    my ($c, $n) = @_;
    my $all = '';
    while (length $all < $n) {
        my $got = read $c, $all, $n - length $all, length $all;
        return undef unless $got;
    }
    return $all;
}
