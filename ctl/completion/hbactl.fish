# SPDX-License-Identifier: LGPL-2.1-or-later
#
# fish: hbactl itself says what may stand there (hbactl complete), in fish's own form.
function __hbactl_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l before (string match -r -- '^--[^=]*=' $current)
    set -q before[1]; or set before ''

    for line in (command $words[1] complete -- $words[2..-1] "$current" 2>/dev/null)
        switch $line
            case :files
                printf '%s\n' $before(__fish_complete_path (string replace -- "$before" '' $current))
            case :dirs
                printf '%s\n' $before(__fish_complete_directories (string replace -- "$before" '' $current) '')
            case '*'
                printf '%s\n' $line
        end
    end
end

complete -c hbactl -f -a '(__hbactl_complete)'
