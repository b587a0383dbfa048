// SPDX-License-Identifier: Apache-2.0
// Search over all sections: each has to have all words, words that it begins or is called with count most. In place of
// a word that no section has, those that differ from it by one letter are searched. The index of all sections,
// search-index.js, is loaded when the field is first used.
"use strict";
(() => {
    const MOST = 20;
    const AROUND = 70; // characters of text before a hit
    const LEAST_LETTERS = 5; // of a word that may be mistyped
    const root = document.documentElement.dataset.root;
    const form = document.querySelector("form[role=search]");
    const field = document.getElementById("words");
    const hits = document.getElementById("hits");
    const found = document.getElementById("found");
    let sections = null; // [{page, title, anchor, heading, text, lower…}] once it is loaded
    let vocabulary = null; // all words of all sections, once one was not found
    let loading = null;

    function load() {
        loading ??= new Promise((done, failed) => {
            const script = document.createElement("script");
            script.src = root + "search-index.js";
            script.onload = () => {
                sections = window.talosDocs.map(([page, title, anchor, heading, text]) => ({
                    page, title, anchor, heading, text,
                    inTitle: title.toLowerCase(), inHeading: heading.toLowerCase(), inText: text.toLowerCase(),
                }));
                done();
            };
            script.onerror = () => failed(new Error("search-index.js cannot be loaded"));
            document.head.append(script);
        });
        return loading;
    }

    function occurrences(text, word) {
        let count = 0;
        for (let at = text.indexOf(word); at >= 0 && count < 10; at = text.indexOf(word, at + word.length)) {
            count++;
        }
        return count;
    }

    /** Whether two words differ by one letter at most: another one, one more or less, or two in the other order. */
    function isNear(one, other) {
        let begin = 0;
        while (begin < one.length && one[begin] === other[begin]) {
            begin++;
        }
        const [rest, otherRest] = [one.slice(begin), other.slice(begin)];
        return rest.slice(1) === otherRest.slice(1) || rest.slice(1) === otherRest || rest === otherRest.slice(1)
            || rest.length > 1 && rest[0] === otherRest[1] && rest[1] === otherRest[0]
                && rest.slice(2) === otherRest.slice(2);
    }

    function has(section, word) {
        return section.inHeading.includes(word) || section.inTitle.includes(word) || section.inText.includes(word);
    }

    /** The word if a section has it, and otherwise those that it may have been meant for. */
    function spellings(word) {
        if (word.length < LEAST_LETTERS || sections.some(section => has(section, word))) {
            return [word];
        }
        vocabulary ??= new Set(sections.flatMap(each =>
            `${each.inTitle} ${each.inHeading} ${each.inText}`.split(/[^\p{L}\p{N}]+/u)));
        const near = [...vocabulary].filter(each => Math.abs(each.length - word.length) < 2 && isNear(word, each));
        return near.length > 0 ? near : [word];
    }

    function points(section, word) {
        const of = (section.inHeading.includes(word) ? 20 : 0) + (section.inTitle.includes(word) ? 10 : 0)
            + occurrences(section.inText, word);
        return of === 0 ? 0 : of + (section.inHeading.split(/\W+/).includes(word) ? 10 : 0);
    }

    /** How well a section answers: 0 if it lacks one of the words, of which each is a list of spellings. */
    function score(section, words) {
        let sum = 0;
        for (const word of words) {
            const best = Math.max(...word.map(each => points(section, each)));
            if (best === 0) {
                return 0;
            }
            sum += best;
        }
        return sum;
    }

    /** The text around the first hit, with the words marked. */
    function excerpt(section, words) {
        const line = document.createElement("p");
        const first = Math.min(...words.map(word => section.inText.indexOf(word)).filter(at => at >= 0));
        const begin = Number.isFinite(first) ? Math.max(0, first - AROUND) : 0;
        const text = (begin > 0 ? "…" : "") + section.text.slice(begin, begin + 3 * AROUND);
        const lower = text.toLowerCase();
        let from = 0;
        while (from < text.length) {
            let next = text.length;
            let length = 0;
            for (const word of words) {
                const at = lower.indexOf(word, from);
                if (at >= 0 && at < next) {
                    next = at;
                    length = word.length;
                }
            }
            line.append(text.slice(from, next));
            if (length > 0) {
                const mark = document.createElement("mark");
                mark.textContent = text.slice(next, next + length);
                line.append(mark);
            }
            from = next + Math.max(length, 1);
        }
        return line;
    }

    function entry(section, words) {
        const link = document.createElement("a");
        link.href = root + section.page + "#" + section.anchor;
        const title = document.createElement("strong");
        title.textContent = section.heading === section.title ? section.title
            : section.title + " › " + section.heading;
        link.append(title, excerpt(section, words));
        const item = document.createElement("li");
        item.append(link);
        return item;
    }

    function show() {
        const typed = field.value.toLowerCase().split(/\s+/).filter(word => word.length > 0);
        if (typed.length === 0 || sections === null) {
            found.hidden = true;
            found.replaceChildren();
            hits.textContent = "";
            return;
        }
        const words = typed.map(spellings);
        const best = sections.map(section => ({section, sum: score(section, words)}))
            .filter(each => each.sum > 0)
            .sort((one, other) => other.sum - one.sum);
        found.replaceChildren(...best.slice(0, MOST).map(each => entry(each.section, words.flat())));
        found.hidden = best.length === 0;
        const others = words.filter((each, index) => !each.includes(typed[index])).map(each => each.join(" or "));
        hits.textContent = (best.length === 0 ? "nothing found" : best.length === 1 ? "1 section"
            : best.length + " sections") + (others.length === 0 ? "" : ", for " + others.join(", "));
    }

    function move(step) {
        const all = [field, ...found.querySelectorAll("a")];
        const at = all.indexOf(document.activeElement);
        all[Math.min(all.length - 1, Math.max(0, at + step))].focus();
    }

    field.addEventListener("focus", () => load().then(show, failure => { hits.textContent = failure.message; }));
    field.addEventListener("input", show);
    form.addEventListener("submit", event => {
        event.preventDefault();
        found.querySelector("a")?.click();
    });
    form.addEventListener("keydown", event => {
        if (event.key === "ArrowDown" || event.key === "ArrowUp") {
            event.preventDefault();
            move(event.key === "ArrowDown" ? 1 : -1);
        } else if (event.key === "Escape") {
            field.value = "";
            show();
            field.focus();
        }
    });
    found.addEventListener("click", () => { found.hidden = true; });
    document.addEventListener("click", event => {
        if (!form.contains(event.target)) {
            found.hidden = true;
        }
    });
    document.addEventListener("keydown", event => {
        if (event.key === "/" && document.activeElement === document.body) {
            event.preventDefault();
            field.focus();
        }
    });
    form.hidden = false;
})();
