#!/usr/bin/perl
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A client in another language, of what every Perl has: client.pl SOCKET. Prints the version of who listens, the verdict of each
# link, and of how many replies the first state that Monitor tells is made.
use strict;
use warnings;
use IO::Socket::UNIX;
use JSON::PP;

my $socket = IO::Socket::UNIX->new(Peer => $ARGV[0]) or die "$ARGV[0]: $!\n";
local $/ = "\0";

sub call {
    my ($method, $parameters, $more) = @_;
    my %call = (method => $method, parameters => $parameters);
    $call{more} = JSON::PP::true if $more;
    print $socket encode_json(\%call), "\0" or die "send: $!\n";
    $socket->flush;
}

sub reply {
    my $text = <$socket>;
    defined $text or die "the connection has ended\n";
    chomp $text;
    my $reply = decode_json($text);
    die "$reply->{error}\n" if $reply->{error};
    return $reply;
}

call('org.varlink.service.GetInfo', {});
print reply()->{parameters}{version}, "\n";
call('io.hbad.monitor.List', { kind => 'links' });
print "$_->{kernel_name} $_->{verdict}\n" for @{ reply()->{parameters}{objects} };
call('io.hbad.monitor.Monitor', {}, 1);
my $n = 0;
while (1) {
    my $reply = reply();
    $n++;
    die "it does not go on\n" unless $reply->{continues};
    last if $reply->{parameters}{machine};
}
print "$n\n";
