package nginxconf

import "fmt"

// Level is how serious a line of the error log is (NGX_LOG_EMERG to
// NGX_LOG_DEBUG); a log takes the lines of its level and the more serious ones.
type Level uint8

// The levels, the most serious first.
const (
	Emerg Level = iota + 1
	Alert
	Crit
	Error
	Warn
	Notice
	Info
	Debug
)

var levelNames = [...]string{Emerg: "emerg", Alert: "alert", Crit: "crit", Error: "error", Warn: "warn", Notice: "notice", Info: "info", Debug: "debug"}

// String is the name in brackets in the log and as a parameter of error_log.
func (l Level) String() string {
	if int(l) < len(levelNames) && levelNames[l] != "" {
		return levelNames[l]
	}
	return fmt.Sprintf("level %d", uint8(l))
}

// parseLevel is the level of that name, 0 for none.
func parseLevel(name string) Level {
	for l, n := range levelNames {
		if n == name && n != "" {
			return Level(l)
		}
	}
	return 0
}
