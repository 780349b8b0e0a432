//go:build unix && !linux

package nginx

import "syscall"

// Only Linux has a signal for the parent's death.
func processAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func awaitExit(int) {}

func raiseDescriptors() {}

func members(pgid int) []int {
	if syscall.Kill(-pgid, 0) != nil {
		return nil
	}
	return []int{pgid}
}
