/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * hbad-alert: runs the administrator's programs for one alert. Started by systemd for each (units/hbad-alert@.service), or by hand:
 *
 *   hbad-alert [--limit=SECONDS] [DIRECTORY] < alert.json
 *
 * Every executable file in the directory (/etc/hbad/alert.d) whose name is of letters, digits, '_' and '-' gets the alert, one JSON object
 * on one line (lib/output/alert.schema.json), on its standard input: one after another by name, each for at most a minute, or SECONDS. What
 * they print goes to standard error. Nothing of the alert is an argument, in the environment or seen by a shell: words of devices are
 * in it.
 *
 * The alert is read whole, and then that it is taken is said on standard output; how the programs fare is the exit status: 0, or
 * 1 where one has failed.
 */
#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/number.h"

#define DIRECTORY "/etc/hbad/alert.d"

enum {
    LIMIT_S = 60,
    LIMIT_MAX_S = 24 * 3600,
    ALERT_MAX = 1 << 20, /* more than hbad writes */
    EXIT_USAGE = 64,
    EXIT_NO_EXEC = 126, /* as of a shell */
};

/* How each program is run. */
struct running {
    int alert;
    time_t limit_s;
    sigset_t children; /* SIGCHLD, which is blocked */
};

/* Not what editors leave there, and hide. */
static int is_meant(const struct dirent *entry)
{
    const char *name = entry->d_name;

    return *name != '.' && *name != '#' && name[strlen(name) - 1] != '~';
}

/* Names as run-parts(8) takes them: nothing that a package manager left there. */
static bool is_name_of_program(const char *name)
{
    static const char PLAIN[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";

    return !name[strspn(name, PLAIN)];
}

/* Is a file to be run? Says why not, where somebody may think that it is. Returns 1, 0, or a negative errno. */
static int is_program(const char *name, const char *path)
{
    struct stat file;
    bool is_executable = stat(path, &file) == 0 && S_ISREG(file.st_mode) &&
                         file.st_mode & (S_IXUSR | S_IXGRP | S_IXOTH);

    if (!is_name_of_program(name)) {
        if (is_executable)
            fprintf(stderr, "%s: left out: a name has letters, digits, _ and - only\n", name);
        return 0;
    }
    if (access(path, X_OK) == 0)
        return 1;
    if (!is_executable) /* switched off */
        return 0;
    fprintf(stderr, "%s: left out: this user may not execute it\n", name);
    return -EACCES;
}

/* All of standard input, in a file that is nowhere but in memory. Returns it, or a negative errno. */
static int take_alert(void)
{
    _cleanup_close_ int file = memfd_create("alert", MFD_CLOEXEC);
    char buffer[65536];
    size_t all = 0;
    ssize_t n;

    if (file < 0)
        return -errno;
    while ((n = read(STDIN_FILENO, buffer, sizeof(buffer))) != 0) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        all += (size_t)n;
        if (all > ALERT_MAX)
            return -EFBIG;
        if (write(file, buffer, (size_t)n) != n)
            return -ENOSPC;
    }
    if (!all)
        return -ENODATA;
    return TAKE_FD(file);
}

/* Says so. Whoever is not told would have it told again: so it must not be run now. Returns 0 or a negative errno. */
static int say_taken(void)
{
    static const char TAKEN[] = "taken\n";
    ssize_t n = write(STDOUT_FILENO, TAKEN, strlen(TAKEN));

    return n < 0 ? -errno : 0;
}

/* In the child: becomes the program, which is in this directory. */
_Noreturn static void become(const char *name, char *path, const struct running *how)
{
    if (lseek(how->alert, 0, SEEK_SET) == 0 && dup2(how->alert, STDIN_FILENO) >= 0 &&
        dup2(STDERR_FILENO, STDOUT_FILENO) >= 0 && setpgid(0, 0) == 0 &&
        prctl(PR_SET_PDEATHSIG, SIGTERM) == 0) {
        signal(SIGPIPE, SIG_DFL);
        sigprocmask(SIG_UNBLOCK, &how->children, NULL);
        execv(path, (char *const[]){ path, NULL });
    }
    fprintf(stderr, "%s: %s\n", name, strerror(errno));
    _exit(EXIT_NO_EXEC);
}

/* How a program ended, where that was not well. Returns 0 or -EIO. */
static int take_status(const char *name, int status)
{
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return 0;
    if (WIFEXITED(status))
        fprintf(stderr, "%s: exit status %d\n", name, WEXITSTATUS(status));
    else
        fprintf(stderr, "%s: signal %d\n", name, WTERMSIG(status));
    return -EIO;
}

static time_t now(void)
{
    struct timespec t = { 0 };

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec;
}

/* Until the program ends; when its time is over, it is ended with all that it has started. Returns 0 or a negative errno. */
static int await(const char *name, pid_t pid, const struct running *how)
{
    time_t end = now() + how->limit_s;
    int status;
    pid_t r;

    while ((r = waitpid(pid, &status, WNOHANG)) == 0 && now() < end)
        sigtimedwait(&how->children, NULL, &(struct timespec){ .tv_sec = end - now() });
    if (r == 0) {
        fprintf(stderr, "%s: not done within %lld s\n", name, (long long)how->limit_s);
        kill(-pid, SIGKILL);
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
            ;
        return -ETIMEDOUT;
    }
    return r < 0 ? -errno : take_status(name, status);
}

/* Returns 0, or a negative errno, which was said. */
static int run(const char *name, const struct running *how)
{
    _cleanup_free_ char *path = NULL;
    pid_t pid;
    int r;

    if (asprintf(&path, "./%s", name) < 0) {
        path = NULL;
        return -ENOMEM;
    }
    r = is_program(name, path);
    if (r <= 0)
        return r;
    pid = fork();
    if (pid == 0)
        become(name, path, how);
    if (pid > 0)
        return await(name, pid, how);
    fprintf(stderr, "%s: %s\n", name, strerror(errno));
    return -EIO;
}

/* Runs all there are. Returns 0, or -EIO where one failed. */
static int run_all(const char *directory, struct running *how)
{
    struct dirent **entries = NULL;
    int n = chdir(directory) < 0 ? -1 : scandir(".", &entries, is_meant, alphasort), r = 0;

    if (n < 0) {
        fprintf(stderr, "%s: %s\n", directory, strerror(errno));
        return -EIO;
    }
    sigemptyset(&how->children);
    sigaddset(&how->children, SIGCHLD);
    sigprocmask(SIG_BLOCK, &how->children, NULL);
    for (int i = 0; i < n; i++) {
        if (run(entries[i]->d_name, how) < 0)
            r = -EIO;
        free(entries[i]);
    }
    free(entries);
    return r;
}

/* Returns 0, or -EINVAL. */
static int take_options(int argc, char **argv, time_t *ret_limit_s)
{
    static const struct option OPTIONS[] = { { "limit", required_argument, NULL, 'l' }, { 0 } };
    uint64_t seconds;
    int c;

    while ((c = getopt_long(argc, argv, "", OPTIONS, NULL)) >= 0) {
        if (c != 'l' || number_u64(optarg, 10, &seconds) < 0 || !seconds || seconds > LIMIT_MAX_S)
            return -EINVAL;
        *ret_limit_s = (time_t)seconds;
    }
    return argc - optind > 1 ? -EINVAL : 0;
}

int main(int argc, char **argv)
{
    struct running how = { .limit_s = LIMIT_S };
    _cleanup_close_ int alert = -1;
    int r;

    if (take_options(argc, argv, &how.limit_s) < 0) {
        fputs("hbad-alert [--limit=SECONDS] [DIRECTORY] < alert.json\n", stderr);
        return EXIT_USAGE;
    }
    signal(SIGPIPE, SIG_IGN);
    how.alert = alert = take_alert();
    r = alert < 0 ? alert : say_taken();
    if (r < 0) {
        fprintf(stderr, "no alert: %s\n", strerror(-r));
        return EXIT_FAILURE;
    }
    return run_all(optind < argc ? argv[optind] : DIRECTORY, &how) < 0 ? EXIT_FAILURE
                                                                       : EXIT_SUCCESS;
}
