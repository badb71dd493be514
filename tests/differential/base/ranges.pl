#!/usr/bin/perl
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Ranges of monitoring plugins as hbad reads them against libmonitoring-plugin-perl: ranges.pl PRINT_RANGES
#
# All that can be put together from an optional @, what may stand as a start, an optional colon and what may stand as an end,
# each with all values around these numbers. Both must agree on which texts are ranges, and on which values they alert.
use strict;
use warnings;
use Carp;
use File::Temp;
use Monitoring::Plugin::Range;

$SIG{__WARN__} = sub { };    # it says of each text that is no range that it is none

my @numbers = qw(0 1 10 10.5 -1 -10 -0.5 +3 20 1000000000000 0.000001);
my @ranges;
for my $at ('', '@', '@@') {
    for my $start ('', '~', '~~', '-', @numbers) {
        push @ranges, "$at$start$_" for '', ':', '::', ':~', ':x', map { ":$_" } @numbers;
    }
}
my @values = map { ($_ - 1, $_ - 0.25, $_, $_ + 0.25, $_ + 1) } @numbers;
my (@lines, @theirs);
for my $text (grep { length } @ranges) {
    my $range = Monitoring::Plugin::Range->parse_range_string($text);
    for my $value (@values) {
        push @lines, "$text $value";
        push @theirs, !defined $range ? 'none' : $range->check_range($value) ? 'alert' : 'fine';
    }
}

my $in = File::Temp->new;
print $in "$_\n" for @lines;
close $in or die;
my @ours = split /\n/, qx($ARGV[0] <$in);
die "$ARGV[0]: exit status $?\n" if $?;
die @ours . ' answers to ' . @lines . " questions\n" if @ours != @lines;
my $wrong = 0;
for my $i (0 .. $#lines) {
    next if $ours[$i] eq $theirs[$i];
    print "$lines[$i]: here $ours[$i], there $theirs[$i]\n";
    $wrong++;
}
my %seen;
$seen{$_}++ for @theirs;
print scalar(@lines), ' questions: ', join(', ', map { "$seen{$_} $_" } sort keys %seen), "\n";
die "not all answers were there\n" if keys %seen != 3;
exit($wrong ? 1 : 0);
