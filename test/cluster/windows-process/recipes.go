package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// isRecipe says whether a script of the program's own is one of
// src/domain/hostprocess/recipes, which are known by the hashes beside their test.
func isRecipe(kw payload) (bool, error) {
	known, err := hashesIn(filepath.Join(filepath.Dir(os.Getenv("SCRIPTS_SHA256")), "../src/domain/hostprocess/recipes/recipes.sha256"))
	if err != nil {
		return false, err
	}
	expected, found := known[kw.text("m")+".ps1"]
	if !found {
		return false, nil
	}
	if sum := sha256.Sum256([]byte(kw.text("t"))); hex.EncodeToString(sum[:]) != expected {
		return false, errors.New("windows-shell: this recipe is not the one whose hash is in recipes.sha256")
	}
	return true, nil
}

// recipe prints what a test has laid down for it: RECORD_FOLDER/recipes/ID.json.
func (s *shell) recipe(kw payload) (int64, bool, error) {
	id, _, _ := strings.Cut(kw.text("m"), ".")
	text, err := os.ReadFile(filepath.Join(os.Getenv("RECORD_FOLDER"), "recipes", id+".json"))
	if err != nil {
		return 0, false, err
	}
	_, err = os.Stdout.Write(text)
	return 0, false, err
}
