//go:build e2e

package docker

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/nolive/nolive/e2e/kit"
	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/scenario"
	"github.com/nolive/nolive/proxy/nginx/container"
	"github.com/nolive/nolive/scenarios"
)

// long is a scenario that takes a minute for its first request, at speed 1.
const long = "frozen-backend-curl-loop"

func shipped(name, variant string) (*scenario.Scenario, *scenario.File) {
	GinkgoHelper()
	src, _ := scenarios.Source(name)
	f, problems := scenario.Parse(name+".yaml", src, scenarios.FS)
	Expect(problems.Err()).NotTo(HaveOccurred())
	for _, s := range f.Scenarios {
		if s.Variant == variant {
			return s, f
		}
	}
	Fail("no variant " + variant)
	return nil, nil
}

var _ = Describe("Containers", func() {
	// begun starts the command on the long scenario and waits for its container.
	begun := func(ctx context.Context, env []string, dir string) *exec.Cmd {
		GinkgoHelper()
		cmd := command(ctx, env, "run", long, "--engine", "nginx", "--speed", "1", "--nginx-image", kit.Image)
		cmd.Stdout, cmd.Stderr = GinkgoWriter, GinkgoWriter
		Expect(cmd.Start()).To(Succeed())
		DeferCleanup(func() { cmd.Process.Kill(); cmd.Wait() })
		Eventually(func() []string { return masters(dir) }).WithTimeout(time.Minute).WithPolling(100 * time.Millisecond).ShouldNot(BeEmpty())
		return cmd
	}

	It("carry the run's id and go at the end", func(ctx SpecContext) {
		env, dir := ofTMP()
		cmd := command(ctx, env, "run", short, "post-timeout-not-retried", "--engine", "nginx", "--nginx-image", kit.Image)
		var text bytes.Buffer
		cmd.Stdout, cmd.Stderr = &text, &text
		Expect(cmd.Start()).To(Succeed())
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		most := 0
		for running := true; running; {
			most = max(most, len(containers(dir)))
			select {
			case err := <-ended:
				ran(runs.Kept("the command of the containers that go at the end"), cmd.Args[1:], text.String())
				Expect(err).NotTo(HaveOccurred(), text.String())
				running = false
			case <-time.After(50 * time.Millisecond):
			}
		}
		Expect(most).To(Equal(1), "one container serves all runs")
		Expect(containers(dir)).To(BeEmpty())
		Expect(left(dir)).To(BeEmpty())
	}, SpecTimeout(2*time.Minute))

	It("go on Ctrl-C", func(ctx SpecContext) {
		env, dir := ofTMP()
		cmd := begun(ctx, env, dir)
		Expect(cmd.Process.Signal(os.Interrupt)).To(Succeed())
		Expect(cmd.Wait()).NotTo(Succeed())
		Expect(cmd.ProcessState.ExitCode()).To(Equal(3))
		Expect(containers(dir)).To(BeEmpty())
		Expect(left(dir)).To(BeEmpty())
	}, SpecTimeout(2*time.Minute))

	// named is the environment of commands whose containers have images of a registry that
	// nobody has: there Ryuk's image, which is the other result, can't be had unless a
	// spec makes one.
	const registry = "nolive-e2e.invalid/"
	named := func() (env []string, ryuk string) {
		GinkgoHelper()
		mine := registry + kit.Image
		docker("tag", kit.Image, mine)
		DeferCleanup(func() { docker("image", "rm", "-f", mine) })
		return []string{"TESTCONTAINERS_RYUK_DISABLED=", "TESTCONTAINERS_HUB_IMAGE_NAME_PREFIX=" + strings.TrimSuffix(registry, "/")}, registry + testcontainersRyuk()
	}

	It("that a kill -9 left go with the next run, and those of living runs stay", func(ctx SpecContext) {
		noRyuk, _ := named()
		env, dir := ofTMP()
		alive := begun(ctx, append(env, noRyuk...), dir)
		stay := containers(dir)
		env, killed := ofTMP()
		dead := begun(ctx, append(env, noRyuk...), killed)
		Expect(dead.Process.Kill()).To(Succeed())
		Expect(dead.Wait()).NotTo(Succeed())
		Expect(containers(killed)).To(HaveLen(1), "what the next run has to remove")
		got := run(ctx, nil, "run", short, "--engine", "nginx", "--nginx-image", kit.Image)
		Expect(got.status).To(BeZero(), got.text)
		Expect(containers(killed)).To(BeEmpty())
		Expect(containers(dir)).To(Equal(stay))
		Expect(alive.Process.Signal(os.Interrupt)).To(Succeed())
		Expect(alive.Wait()).NotTo(Succeed())
	}, SpecTimeout(3*time.Minute))

	// Where Ryuk's image can be had, it is told what to remove and when: when the
	// connection to us ends. A stand-in that says what it was told shows that both come
	// to what a kill -9 leaves, and to nothing else. That Ryuk removes what it was told
	// is testcontainers' affair.
	It("are also told to Ryuk, where its image can be had: just those that a kill -9 leaves, when it does", func(ctx SpecContext) {
		env, ryuk := named()
		docker("tag", derived(nil, "ryuk"), ryuk)
		DeferCleanup(func() { docker("image", "rm", "-f", ryuk) })
		mine, dir := ofTMP()
		cmd := begun(ctx, append(mine, env...), dir)
		reaper := docker("ps", "-q", "--filter", "ancestor="+ryuk)
		Expect(strings.Fields(reaper)).To(HaveLen(1))
		DeferCleanup(func() { docker("rm", "-f", reaper) })
		Expect(containers(dir)).To(HaveLen(1))
		Expect(docker("logs", reaper)).To(And(ContainSubstring("filter label="), Not(ContainSubstring("gone"))))

		Expect(cmd.Process.Kill()).To(Succeed())
		Expect(cmd.Wait()).NotTo(Succeed())
		Eventually(func() string { return docker("logs", reaper) }).WithTimeout(10 * time.Second).Should(ContainSubstring("gone"))
		_, told, _ := strings.Cut(docker("logs", reaper), "filter ")
		told, _, _ = strings.Cut(told, "\n")
		list := []string{"ps", "-a", "-q", "--no-trunc"}
		for _, filter := range strings.Split(told, "&") {
			list = append(list, "--filter", filter)
		}
		left := containers(dir)
		Expect(left).To(HaveLen(1))
		Expect(strings.Fields(docker(list...))).To(Equal(left))
		docker("rm", "-f", left[0])
	}, SpecTimeout(2*time.Minute))

	It("go at a run's end with Ryuk as without", func(ctx SpecContext) {
		env, ryuk := named()
		docker("tag", derived(nil, "ryuk"), ryuk)
		DeferCleanup(func() { docker("image", "rm", "-f", ryuk) })
		tmp, dir := ofTMP()
		got := run(ctx, append(tmp, env...), "run", short, "--variant", "listed", "--engine", "nginx", "--nginx-image", kit.Image)
		reaper := docker("ps", "-q", "--filter", "ancestor="+ryuk)
		DeferCleanup(func() { docker("rm", "-f", reaper) })
		Expect(got.status).To(BeZero(), got.text)
		Expect(strings.Fields(reaper)).To(HaveLen(1))
		Expect(containers(dir)).To(BeEmpty())
	}, SpecTimeout(2*time.Minute))

	// Killed, and then also removed: the logs are here all the same.
	for how, args := range map[string][]string{"killed": {"kill"}, "removed": {"rm", "-f"}} {
		It(how+" in the middle of a run make it invalid, not failed, and the logs are whole", func(ctx SpecContext) {
			dir := GinkgoT().TempDir()
			os.Setenv("TMPDIR", dir)
			DeferCleanup(os.Unsetenv, "TMPDIR")
			var pool container.Pool
			DeferCleanup(func() { Expect(pool.Close()).To(Succeed()) })
			s, _ := shipped("one-of-two-refuses", "") // five requests a second
			image := pool.Image(kit.Image, container.Auto)
			_, err := image.Look(ctx)
			Expect(err).NotTo(HaveOccurred())
			keep := GinkgoT().TempDir()
			var r *harness.Result
			over := make(chan error, 1)
			go func() {
				var err error
				r, err = harness.Runner{Speed: 1, NginxHost: image, NginxDir: keep}.Run(ctx, s, harness.Nginx)
				over <- err
			}()
			const some = 5
			lines := func(pattern string) int {
				names, _ := filepath.Glob(pattern)
				text := ""
				for _, n := range names {
					log, _ := os.ReadFile(n)
					text += string(log)
				}
				return strings.Count(text, "\n")
			}
			Eventually(lines).WithArguments(dir + "/*/nolive-nginx-*/nolive-access.log").WithTimeout(time.Minute).WithPolling(50 * time.Millisecond).Should(BeNumerically(">=", some))
			docker(append(args, containers(dir)...)...)
			Eventually(ctx, over).Should(Receive(BeNil()))
			Expect(r.Invalid).To(MatchRegexp("nginx ended during the run: its container was (killed|removed)"))
			Expect(r.OK()).To(BeFalse())
			answered := 0
			for _, e := range r.Events {
				if e.Kind == event.ProxyAnswered {
					answered++
				}
			}
			Expect(answered).To(BeNumerically(">=", some))
			Expect(lines(keep + "/nolive-access.log")).To(Equal(answered))
			// The next run gets a container again.
			s, _ = shipped(short, "listed")
			r, err = harness.Runner{NginxHost: image}.Run(ctx, s, harness.Nginx)
			Expect(err).NotTo(HaveOccurred())
			Expect(r.Invalid).To(BeEmpty())
		}, SpecTimeout(3*time.Minute))
	}
})

// testcontainersRyuk is the reaper's image.
func testcontainersRyuk() string {
	GinkgoHelper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/testcontainers/testcontainers-go").Output()
	Expect(err).NotTo(HaveOccurred())
	source, err := os.ReadFile(strings.TrimSpace(string(out)) + "/internal/config/config.go")
	Expect(err).NotTo(HaveOccurred())
	_, rest, _ := strings.Cut(string(source), `ReaperDefaultImage = "`)
	image, _, ok := strings.Cut(rest, `"`)
	Expect(ok).To(BeTrue())
	return image
}

// masters are the pid files of nginx in the folders of a temporary folder.
func masters(dir string) []string {
	var found []string
	for _, d := range left(dir) {
		for _, n := range left(dir + "/" + d) {
			if strings.HasPrefix(n, "nolive-nginx-") {
				if fi, err := os.Stat(dir + "/" + d + "/" + n + "/nolive.pid"); err == nil && fi.Size() > 0 {
					found = append(found, n)
				}
			}
		}
	}
	return found
}
