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
    const char *alert;
    size_t len;
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

/* Is a file to be run? What nobody may execute is switched off. Of a name that is none of a program's that is said, where somebody
 * may think that it is one; why another cannot be run, running it says. */
static bool is_program(const char *name, const char *path)
{
    struct stat file;
    bool is_there = stat(path, &file) == 0,
         is_executable = is_there && file.st_mode & (S_IXUSR | S_IXGRP | S_IXOTH);

    if (is_name_of_program(name))
        return is_executable || !is_there;
    if (is_executable && S_ISREG(file.st_mode))
        fprintf(stderr, "%s: left out: a name has letters, digits, _ and - only\n", name);
    return false;
}

/* All of standard input, malloc()ed. Returns 0 or a negative errno. */
static int take_alert(char **ret, size_t *ret_len)
{
    _cleanup_free_ char *text = malloc(ALERT_MAX + 1);
    size_t all = 0;
    ssize_t n = 1;

    if (!text)
        return -ENOMEM;
    while (n != 0 && all <= ALERT_MAX) {
        n = read(STDIN_FILENO, text + all, ALERT_MAX + 1 - all);
        if (n < 0 && errno != EINTR)
            return -errno;
        all += n > 0 ? (size_t)n : 0;
    }
    if (!all || all > ALERT_MAX)
        return all ? -EFBIG : -ENODATA;
    *ret = TAKE_PTR(text);
    *ret_len = all;
    return 0;
}

/* Says so. Whoever is not told would have it told again: so it must not be run now. Returns 0 or a negative errno. */
static int say_taken(void)
{
    static const char TAKEN[] = "taken\n";
    ssize_t n = write(STDOUT_FILENO, TAKEN, strlen(TAKEN));

    return n < 0 ? -errno : 0;
}

/* In the child: has the alert as standard input, in a file that is nowhere but in memory, and of this program alone: what it, or
 * what it left behind, does with it is nothing to the next one. Returns 0, or -1 with errno. */
static int put_alert(const struct running *how)
{
    int file = memfd_create("alert", MFD_CLOEXEC);
    ssize_t n = file < 0 ? -1 : write(file, how->alert, how->len);

    if (n >= 0 && (size_t)n < how->len) {
        errno = ENOSPC;
        return -1;
    }
    return n < 0 || lseek(file, 0, SEEK_SET) < 0 || dup2(file, STDIN_FILENO) < 0 ? -1 : 0;
}

/* In the child: becomes the program, which is in this directory. */
_Noreturn static void become(const char *name, char *path, const struct running *how)
{
    if (put_alert(how) == 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0 && setpgid(0, 0) == 0 &&
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

    if (asprintf(&path, "./%s", name) < 0) {
        path = NULL;
        return -ENOMEM;
    }
    if (!is_program(name, path))
        return 0;
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
    _cleanup_free_ char *alert = NULL;
    int r;

    if (take_options(argc, argv, &how.limit_s) < 0) {
        fputs("hbad-alert [--limit=SECONDS] [DIRECTORY] < alert.json\n", stderr);
        return EXIT_USAGE;
    }
    signal(SIGPIPE, SIG_IGN);
    r = take_alert(&alert, &how.len);
    how.alert = alert;
    if (r == 0)
        r = say_taken();
    if (r < 0) {
        fprintf(stderr, "no alert: %s\n", strerror(-r));
        return EXIT_FAILURE;
    }
    return run_all(optind < argc ? argv[optind] : DIRECTORY, &how) < 0 ? EXIT_FAILURE
                                                                       : EXIT_SUCCESS;
}
