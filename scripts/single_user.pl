# SPDX-License-Identifier: Apache-2.0
# usage: perl single_user.pl COMMAND...
# Runs a command where a user namespace has one user only. Packages give files to other users, which such a namespace
# refuses. Here the kernel skips these calls and says that they are done: all files belong to the one user.
use strict;
use warnings;
use Config;

# Numbers of the architecture, of prctl and seccomp, and of the calls that are skipped: chown, fchown, lchown, fchownat,
# setgroups, mknod, mknodat, as far as it has them.
my %architectures = (
    x86_64  => [0xC000003E, 157, 92, 93, 94, 260, 116, 133, 259],
    aarch64 => [0xC00000B7, 167, 54, 55, 159, 33],
);
my ($name) = $Config{archname} =~ /^([^-]+)/;
my $numbers = $architectures{$name} or die "single_user: $name is not known\n";
my ($architecture, $prctl, @skipped) = @$numbers;

# A program for the kernel (struct sock_filter): loads, comparisons with two jumps, results.
my ($load, $equal, $return, $allow, $skip) = (0x20, 0x15, 0x06, 0x7FFF0000, 0x00050000);
my $count = @skipped;
my @filter = ([$load, 0, 0, 4], [$equal, 0, $count + 1, $architecture], [$load, 0, 0, 0]);
push @filter, [$equal, $count - $_, 0, $skipped[$_]] for 0 .. $count - 1;
push @filter, [$return, 0, 0, $allow], [$return, 0, 0, $skip];
my $code = join '', map { pack 'SCCL', @$_ } @filter;
my $program = pack 'Sx![P]P', scalar(@filter), $code;

my ($no_new_privileges, $set_seccomp, $with_filter) = (38, 22, 2);
syscall($prctl, $no_new_privileges, 1, 0, 0, 0) == 0 or die "single_user: $!\n";
syscall($prctl, $set_seccomp, $with_filter, $program) == 0 or die "single_user: $!\n";
exec { $ARGV[0] } @ARGV or die "single_user: $ARGV[0]: $!\n";
