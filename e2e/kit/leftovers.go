package kit

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/scenario"
)

// leftovers are the folders of a suite's runs. What a failed spec had stays in
// them and its report says where that is; the rest goes at the end.
type leftovers struct {
	suite string
	mu    sync.Mutex
	// kept has every folder that was given out, and true for those that stay.
	kept map[string]bool
	// present is what the present spec leaves should it fail.
	present []leftover
}

// leftover is a folder, and what writes into it what isn't there already; nil for
// nothing.
type leftover struct {
	folder string
	write  func() error
}

func (l *leftovers) reset() { l.present = nil }

// Folder is one for the files of a run, such as nginx's. It goes at the end unless a
// spec that failed leaves it.
func (l *leftovers) Folder(name string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	folder := Folder(l.suite, name)
	l.kept[folder] = l.kept[folder]
	return folder
}

// Kept is a folder for the files of the present spec, which stay if it fails.
func (l *leftovers) Kept(name string) string {
	GinkgoHelper()
	folder := l.Folder(name)
	Expect(os.MkdirAll(folder, 0o755)).To(Succeed())
	l.leaves(folder, nil)
	return folder
}

// Leaves says that the present spec is about a run: its report shows the lanes, and
// should it fail, a folder of that name has the scenario, the events and the report.
// Other folders, of Folder or in one, stay too; "" is none.
func (l *leftovers) Leaves(name string, r *harness.Result, f *scenario.File, others ...string) {
	GinkgoHelper()
	Show(name, r)
	folder := l.Folder(name)
	l.leaves(folder, func() error { return write(folder, r, f) })
	for _, o := range others {
		if o != "" {
			l.leaves(o, nil)
		}
	}
}

func (l *leftovers) leaves(folder string, write func() error) {
	if !slices.ContainsFunc(l.present, func(p leftover) bool { return p.folder == folder }) {
		l.present = append(l.present, leftover{folder, write})
	}
}

// report leaves what a failed spec had, and says where.
func (l *leftovers) report() {
	if !CurrentSpecReport().Failed() {
		return
	}
	for _, p := range l.present {
		l.mu.Lock()
		l.kept[p.folder] = true
		l.mu.Unlock()
		if p.write != nil {
			Expect(p.write()).To(Succeed())
		}
		GinkgoWriter.Println("configuration, logs and events:", p.folder)
		AddReportEntry("configuration, logs and events", p.folder)
	}
}

// remove removes the folders that nobody needs.
func (l *leftovers) remove() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for folder, kept := range l.kept {
		if kept {
			continue
		}
		inside, _ := os.ReadDir(folder)
		for _, e := range inside {
			if f := filepath.Join(folder, e.Name()); !l.keeps(f) {
				Expect(os.RemoveAll(f)).To(Succeed())
			}
		}
		if !l.keeps(folder) {
			Expect(os.RemoveAll(folder)).To(Succeed())
		}
	}
	_ = os.Remove(Folder(l.suite)) // if it is empty
}

// keeps says whether a folder stays, or one in it.
func (l *leftovers) keeps(folder string) bool {
	for f, kept := range l.kept {
		if kept && (f == folder || strings.HasPrefix(f, folder+string(filepath.Separator))) {
			return true
		}
	}
	return false
}

// The names of what is written beside nginx's own files.
const (
	reportFile   = "report.txt"
	eventsFile   = "events.jsonl"
	scenarioFile = "scenario.yaml"
)

// write writes what a terminal would show of a run, its events, for nolive replay,
// and its scenario, for nolive run.
func write(folder string, r *harness.Result, f *scenario.File) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, reportFile), []byte(Text(r)), 0o644); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, scenarioFile), f.Source, 0o644); err != nil {
		return err
	}
	out, err := os.Create(filepath.Join(folder, eventsFile))
	if err != nil {
		return err
	}
	if err := harness.WriteLog(out, r, f); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}
