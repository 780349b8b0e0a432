package cli

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"

	"github.com/nolive/nolive/harness"
	"github.com/nolive/nolive/proxy/nginx"
	"github.com/nolive/nolive/proxy/nginx/container"
)

// nginxFlags say which real nginx the engine nginx runs.
type nginxFlags struct {
	Binary  string       `name:"nginx-binary" placeholder:"PATH" help:"The nginx to run; default is the one on PATH, else the image nolive/nginx."`
	Images  string       `name:"nginx-image" placeholder:"IMAGE,..." help:"Run nginx in a container of this image; several are run side by side."`
	Rules   modelVersion `name:"nginx-version" placeholder:"1.22" help:"The version of nginx whose rules sim and reference follow, whatever the scenario says; default that of the nginx that runs too, else of the one on PATH, else the newest stable one."`
	Network string       `name:"nginx-network" placeholder:"host|bridge" help:"The container's network; default is host where the Docker engine has this machine's, else bridge."`
}

// defaultImage is what make image builds.
const defaultImage = "nolive/nginx:latest"

// column is one thing that runs scenarios: an engine, and for the real nginx
// which one.
type column struct {
	engine harness.Engine
	// name is the engine's, "nginx (IMAGE)" where there are several nginx.
	name   string
	binary string
	host   nginx.Host // nil for this machine
}

// engines are the columns of a list of engines, without more about nginx.
func engineColumns(engines []harness.Engine) []column {
	var out []column
	for _, e := range engines {
		out = append(out, column{engine: e, name: string(e)})
	}
	return out
}

// columns are the engines, nginx once for each that the flags name.
func (f nginxFlags) columns(ctx context.Context, engines []harness.Engine, pool *container.Pool) ([]column, error) {
	if err := f.check(engines); err != nil {
		return nil, err
	}
	network, err := container.ParseNetwork(f.Network)
	if err != nil {
		return nil, fmt.Errorf("--nginx-network: %w", err)
	}
	var all []column
	for _, c := range engineColumns(engines) {
		if c.engine != harness.Nginx {
			all = append(all, c)
			continue
		}
		all = append(all, f.nginx(ctx, network, pool)...)
	}
	return all, nil
}

// check says what is wrong with the flags.
func (f nginxFlags) check(engines []harness.Engine) error {
	flag := ""
	switch {
	case f.Binary != "":
		flag = "--nginx-binary"
	case f.Images != "":
		flag = "--nginx-image"
	case f.Network != "":
		return errors.New("--nginx-network: only a container has one: give --nginx-image as well")
	default:
		return nil
	}
	if !slices.Contains(engines, harness.Nginx) {
		return fmt.Errorf("%s: the engines %s have no nginx", flag, enumerate(names(engines), "and"))
	}
	images := f.images()
	for i, image := range images {
		switch {
		case image == "":
			return fmt.Errorf("--nginx-image: an image without a name in %q", f.Images)
		case slices.Contains(images[:i], image):
			return fmt.Errorf("--nginx-image: %s is named twice", image)
		}
	}
	if f.Network != "" && len(images) == 0 {
		return errors.New("--nginx-network: only a container has one: give --nginx-image as well")
	}
	return nil
}

// images are the names in the flag.
func (f nginxFlags) images() []string {
	if f.Images == "" {
		return nil
	}
	list := strings.Split(f.Images, ",")
	for i := range list {
		list[i] = strings.TrimSpace(list[i])
	}
	return list
}

// nginx are the columns of the engine nginx.
func (f nginxFlags) nginx(ctx context.Context, network container.Network, pool *container.Pool) []column {
	const engine = harness.Nginx
	var out []column
	if f.Binary != "" {
		out = append(out, column{engine, "nginx (" + f.Binary + ")", f.Binary, nil})
	}
	for _, image := range f.images() {
		out = append(out, column{engine, "nginx (" + image + ")", "", pool.Image(image, network)})
	}
	if len(out) == 0 {
		c := column{engine: engine}
		if _, err := exec.LookPath("nginx"); errors.Is(err, exec.ErrNotFound) && pool.Has(ctx, defaultImage) {
			c.host = pool.Image(defaultImage, network)
		}
		out = append(out, c)
	}
	if len(out) == 1 {
		out[0].name = string(engine)
	}
	return out
}

// names are the engines' names.
func names(engines []harness.Engine) []string {
	var out []string
	for _, e := range engines {
		out = append(out, string(e))
	}
	return out
}
