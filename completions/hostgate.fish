# fish completion for hostgate.
# Made by `python -m hostgate.cli.completion`: change the declarations, not this file.

# Whether the cursor is among the options of one of these commands; of none: before any command.
function __hostgate_at
    set -l words (commandline -opc)
    set -e words[1]
    contains -- -- $words
    and return 1
    while string match -q -- '-*' $words[1]
        set -e words[1]
    end
    test -z "$words$argv"
    or contains -- "$words[1]" $argv
end

# The words after -- are completed as if hostgate were not there.
function __hostgate_wrapped
    set -l words (commandline -opc)
    set -l at (contains -i -- -- $words)
    or return
    contains -- $words[2] run hold check explain
    or return
    set -a words (commandline -ct)
    __fish_complete_subcommand --commandline $words[(math $at + 1)..-1]
end

complete -c hostgate -f
complete -c hostgate -n __hostgate_at -a run -d 'Run a command, unless a similar one runs already'
complete -c hostgate -n __hostgate_at -a hold -d 'Hold a slot as long as the calling shell lives: hostgate hold -- make && make'
complete -c hostgate -n __hostgate_at -a release -d 'End what is held for this shell, or the held or reserved slot ID, and record its code'
complete -c hostgate -n __hostgate_at -a stop -d 'End a run and all that it started, or take a waiter out of the queue'
complete -c hostgate -n __hostgate_at -a resume -d 'Run again, here, what was interrupted; what seems alive is ended first'
complete -c hostgate -n __hostgate_at -a ls -d 'List what runs and waits on this host'
complete -c hostgate -n __hostgate_at -a check -d 'Tell whether a command would run now: exit 0 or 75'
complete -c hostgate -n __hostgate_at -a explain -d 'Tell how commands are read and compared'
complete -c hostgate -n __hostgate_at -a wait -d 'Wait for the end of a run, and exit with its code'
complete -c hostgate -n __hostgate_at -a history -d 'Show what has ended'
complete -c hostgate -n __hostgate_at -a stats -d 'Add up runs, conflicts and waits, by project and by rule'
complete -c hostgate -n __hostgate_at -a config -d 'Show the settings in force here, and where each comes from'
complete -c hostgate -n __hostgate_at -a install -d 'Put the gate into an agent: its hook, and what that needs'
complete -c hostgate -n __hostgate_at -a uninstall -d 'Take the gate out of an agent again, and nothing else'
complete -c hostgate -n __hostgate_at -a hook -d 'Answer the hook of an agent; what it is about to run comes on standard input'
complete -c hostgate -n __hostgate_at -a doctor -d 'Check what hostgate depends on, a line each with the remedy'
complete -c hostgate -n '__hostgate_at' -l version -d 'Show the version'
complete -c hostgate -n '__hostgate_at' -l help -d 'Show this message and exit'
complete -c hostgate -n '__hostgate_at run' -l session -x -d 'Who asks: an id'
complete -c hostgate -n '__hostgate_at run' -l title -x -d 'The session\'s name, as others see it'
complete -c hostgate -n '__hostgate_at run' -l project -x -a '(__fish_complete_directories)' -d 'The project'
complete -c hostgate -n '__hostgate_at run' -l on-conflict -x -a 'ask wait run cancel join' -d 'What to do when a similar command is running'
complete -c hostgate -n '__hostgate_at run' -l wait-timeout -x -d 'Leave the queue after that with exit code 75; the place is kept for 10 minutes'
complete -c hostgate -n '__hostgate_at run' -l lane -x -d 'Never overlap with another claim on this lane'
complete -c hostgate -n '__hostgate_at run' -l run-id -x -d 'Run at most once under this id: another call joins that run, or gets its recorded result'
complete -c hostgate -n '__hostgate_at run' -l record -d 'Keep the output for a day, for who joins this run'
complete -c hostgate -n '__hostgate_at run' -l timeout -x -d 'End the command after that, with exit code 124'
complete -c hostgate -n '__hostgate_at run' -l grace -x -d 'The time between SIGTERM and SIGKILL when the timeout is over'
complete -c hostgate -n '__hostgate_at run' -l strict -d 'Do not run the command when the gate does not work (exit 125)'
complete -c hostgate -n '__hostgate_at run' -l quiet -d 'Say nothing but warnings, errors and why the command is not run'
complete -c hostgate -n '__hostgate_at run' -s c -x -d 'The command as a shell string'
complete -c hostgate -n '__hostgate_at run' -l help -d 'Show this message and exit'
complete -c hostgate -n '__hostgate_at hold' -l session -x -d 'Who asks: an id'
complete -c hostgate -n '__hostgate_at hold' -l title -x -d 'The session\'s name, as others see it'
complete -c hostgate -n '__hostgate_at hold' -l project -x -a '(__fish_complete_directories)' -d 'The project'
complete -c hostgate -n '__hostgate_at hold' -l on-conflict -x -a 'ask wait run cancel join' -d 'What to do when a similar command is running'
complete -c hostgate -n '__hostgate_at hold' -l wait-timeout -x -d 'Leave the queue after that with exit code 75; the place is kept for 10 minutes'
complete -c hostgate -n '__hostgate_at hold' -l lane -x -d 'Never overlap with another claim on this lane'
complete -c hostgate -n '__hostgate_at hold' -l run-id -x -d 'Hold at most once under this id'
complete -c hostgate -n '__hostgate_at hold' -l strict -d 'Do not run the command when the gate does not work (exit 125)'
complete -c hostgate -n '__hostgate_at hold' -l quiet -d 'Say nothing but warnings, errors and why the command is not run'
complete -c hostgate -n '__hostgate_at hold' -s c -x -d 'The command as a shell string'
complete -c hostgate -n '__hostgate_at hold' -l help -d 'Show this message and exit'
complete -c hostgate -n '__hostgate_at release' -l help -d 'Show this message and exit'
complete -c hostgate -n '__hostgate_at stop' -l all -d 'Everything on this host'
complete -c hostgate -n '__hostgate_at stop' -l yes -d 'Do not ask before --all'
complete -c hostgate -n '__hostgate_at stop' -l help -d 'Show this message and exit'
complete -c hostgate -n '__hostgate_at resume' -l yes -d 'Do not ask before it is ended'
complete -c hostgate -n '__hostgate_at resume' -l help -d 'Show this message and exit'
complete -c hostgate -n '__hostgate_at ls' -l json -d 'Print a JSON document'
complete -c hostgate -n '__hostgate_at ls' -l watch -d 'Follow the changes'
complete -c hostgate -n '__hostgate_at ls' -l help -d 'Show this message and exit'
complete -c hostgate -n '__hostgate_at check' -l session -x -d 'Who asks: an id'
complete -c hostgate -n '__hostgate_at check' -l title -x -d 'The session\'s name, as others see it'
complete -c hostgate -n '__hostgate_at check' -l project -x -a '(__fish_complete_directories)' -d 'The project'
complete -c hostgate -n '__hostgate_at check' -l lane -x -d 'Never overlap with another claim on this lane'
complete -c hostgate -n '__hostgate_at check' -l json -d 'Print a JSON document'
complete -c hostgate -n '__hostgate_at check' -s c -x -d 'The command as a shell string'
complete -c hostgate -n '__hostgate_at check' -l help -d 'Show this message and exit'
complete -c hostgate -n '__hostgate_at explain' -s c -x -d 'The command as a shell string'
complete -c hostgate -n '__hostgate_at explain' -l json -d 'Print a JSON document'
complete -c hostgate -n '__hostgate_at explain' -l help -d 'Show this message and exit'
complete -c hostgate -n '__hostgate_at wait' -l idle -d 'Until nothing runs or waits'
complete -c hostgate -n '__hostgate_at wait' -l help -d 'Show this message and exit'
complete -c hostgate -n '__hostgate_at history' -l json -d 'Print a JSON document'
complete -c hostgate -n '__hostgate_at history' -s n -l count -x -d 'The last N runs'
complete -c hostgate -n '__hostgate_at history' -l project -x -a '(__fish_complete_directories)' -d 'Of this project'
complete -c hostgate -n '__hostgate_at history' -l session -x -d 'Of this session, by id or title'
complete -c hostgate -n '__hostgate_at history' -l outcome -x -d 'One of ran, timeout, not-started, left, held, lapsed, taken-over, indeterminate'
complete -c hostgate -n '__hostgate_at history' -l since -x -d 'Ended in this last time'
complete -c hostgate -n '__hostgate_at history' -l help -d 'Show this message and exit'
complete -c hostgate -n '__hostgate_at stats' -l json -d 'Print a JSON document'
complete -c hostgate -n '__hostgate_at stats' -l project -x -a '(__fish_complete_directories)' -d 'Of this project'
complete -c hostgate -n '__hostgate_at stats' -l since -x -d 'Ended in this last time'
complete -c hostgate -n '__hostgate_at stats' -l help -d 'Show this message and exit'
complete -c hostgate -n '__hostgate_at config' -l project -x -a '(__fish_complete_directories)' -d 'The project'
complete -c hostgate -n '__hostgate_at config' -l json -d 'Print a JSON document'
complete -c hostgate -n '__hostgate_at config' -l help -d 'Show this message and exit'
complete -c hostgate -n '__hostgate_at install' -l user -d 'In your own settings'
complete -c hostgate -n '__hostgate_at install' -l project -d 'In the project\'s settings'
complete -c hostgate -n '__hostgate_at install' -l dry-run -d 'Only show what would change'
complete -c hostgate -n '__hostgate_at install' -l detect -d 'List the agents found'
complete -c hostgate -n '__hostgate_at install' -l help -d 'Show this message and exit'
complete -c hostgate -n '__hostgate_at uninstall' -l user -d 'In your own settings'
complete -c hostgate -n '__hostgate_at uninstall' -l project -d 'In the project\'s settings'
complete -c hostgate -n '__hostgate_at uninstall' -l dry-run -d 'Only show what would change'
complete -c hostgate -n '__hostgate_at uninstall' -l help -d 'Show this message and exit'
complete -c hostgate -n '__hostgate_at hook' -l help -d 'Show this message and exit'
complete -c hostgate -n '__hostgate_at doctor' -l help -d 'Show this message and exit'
complete -c hostgate -n '__hostgate_at run hold check explain' -a -- -d 'The command follows'
complete -c hostgate -a '(__hostgate_wrapped)'
