// Renders a chart's templates with the engine that Helm uses, text/template, and with those of Helm's functions that our
// chart uses: any other function fails the rendering. Values come as JSON, so numbers are floats here as they are in Helm. Reads {templates: {path: text}, releases: {name: data}}, writes {name: {texts | error}}.
package main

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"strings"
	"text/template"
)

type chart struct {
	Templates map[string]string
	Releases  map[string]map[string]any
}

type result struct {
	Texts map[string]string `json:"texts,omitempty"`
	Error string            `json:"error,omitempty"`
}

func main() {
	var input chart
	if err := json.NewDecoder(os.Stdin).Decode(&input); err != nil {
		panic(err)
	}
	results := map[string]result{}
	for name, data := range input.Releases {
		texts, err := render(input.Templates, data)
		if err != nil {
			results[name] = result{Error: err.Error()}
		} else {
			results[name] = result{Texts: texts}
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(results); err != nil {
		panic(err)
	}
}

func render(templates map[string]string, data map[string]any) (map[string]string, error) {
	all := template.New("chart").Option("missingkey=zero")
	all.Funcs(functions(all))
	for name, text := range templates {
		if _, err := all.New(name).Parse(text); err != nil {
			return nil, err
		}
	}
	texts := map[string]string{}
	for name := range templates {
		if strings.HasPrefix(path.Base(name), "_") {
			continue
		}
		var text strings.Builder
		if err := all.ExecuteTemplate(&text, name, data); err != nil {
			return nil, err
		}
		texts[name] = strings.ReplaceAll(text.String(), "<no value>", "")
	}
	return texts, nil
}

func functions(all *template.Template) template.FuncMap {
	return template.FuncMap{
		"include": func(name string, data any) (string, error) {
			var text strings.Builder
			err := all.ExecuteTemplate(&text, name, data)
			return text.String(), err
		},
		"fail":      func(why string) (string, error) { return "", errors.New(why) },
		"toYaml":    toYaml,
		"toJson":    quoted,
		"sha256sum": func(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) },
		"nindent": func(spaces int, text string) string {
			margin := "\n" + strings.Repeat(" ", spaces)
			return margin + strings.ReplaceAll(text, "\n", margin)
		},
		"quote":      func(value any) string { return fmt.Sprintf("%q", fmt.Sprint(value)) },
		"join":       func(by string, words []any) string { return strings.Join(texts(words), by) },
		"contains":   func(part, text string) bool { return strings.Contains(text, part) },
		"trimSuffix": func(end, text string) string { return strings.TrimSuffix(text, end) },
		"trunc":      func(most int, text string) string { return fmt.Sprintf("%.*s", most, text) },
		"list":       func(values ...any) []any { return values },
		"default": func(fallback, value any) any {
			if truth, _ := template.IsTrue(value); truth {
				return value
			}
			return fallback
		},
		"ternary": func(yes, no any, condition bool) any {
			if condition {
				return yes
			}
			return no
		},
		"int": func(value any) int { return int(number(value)) },
		"add": func(a, b any) int { return int(number(a)) + int(number(b)) },
		"mul": func(a, b any) int { return int(number(a)) * int(number(b)) },
		"div": func(a, b any) int { return int(number(a)) / int(number(b)) },
	}
}

func texts(words []any) (all []string) {
	for _, word := range words {
		all = append(all, fmt.Sprint(word))
	}
	return all
}

func number(value any) float64 {
	switch known := value.(type) {
	case int:
		return float64(known)
	case float64:
		return known
	}
	panic(fmt.Sprintf("not a number: %v", value))
}
