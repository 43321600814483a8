package main

import (
	"encoding/json"
	"sort"
	"strings"
)

// In blocks like Helm, so that a template can add lines at the same level. Scalars are JSON, which is also YAML.
func toYaml(value any) string {
	var blocks []string
	switch known := value.(type) {
	case map[string]any:
		for name, inner := range known {
			between := "\n  "
			if !isBlock(inner) {
				between = " "
			}
			blocks = append(blocks, quoted(name)+":"+between+indented(toYaml(inner)))
		}
		sort.Strings(blocks)
	case []any:
		for _, inner := range known {
			blocks = append(blocks, "- "+indented(toYaml(inner)))
		}
	}
	if blocks == nil {
		return quoted(value)
	}
	return strings.Join(blocks, "\n")
}

func isBlock(value any) bool {
	text := quoted(value)
	return text != "{}" && text != "[]" && strings.ContainsAny(text[:1], "{[")
}

func indented(text string) string { return strings.ReplaceAll(text, "\n", "\n  ") }

func quoted(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(text)
}
