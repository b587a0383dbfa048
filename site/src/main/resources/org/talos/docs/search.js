// SPDX-License-Identifier: Apache-2.0
// Search over all sections: each has to have all words, words that it begins or is called with count most. What it looks
// into, search-index.js, is loaded when the field is first used.
"use strict";
(() => {
    const MOST = 20;
    const AROUND = 70; // characters of text before a hit
    const root = document.documentElement.dataset.root;
    const form = document.querySelector("form[role=search]");
    const field = document.getElementById("words");
    const hits = document.getElementById("hits");
    const found = document.getElementById("found");
    let sections = null; // [{page, title, anchor, heading, text, lower…}] once it is loaded
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

    /** How well a section answers: 0 if it lacks one of the words. */
    function score(section, words) {
        let sum = 0;
        for (const word of words) {
            const of = (section.inHeading.includes(word) ? 20 : 0) + (section.inTitle.includes(word) ? 10 : 0)
                + occurrences(section.inText, word);
            if (of === 0) {
                return 0;
            }
            sum += of + (section.inHeading.split(/\W+/).includes(word) ? 10 : 0);
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
        title.textContent = section.heading === section.title ? section.title : section.title + " › " + section.heading;
        link.append(title, excerpt(section, words));
        const item = document.createElement("li");
        item.append(link);
        return item;
    }

    function show() {
        const words = field.value.toLowerCase().split(/\s+/).filter(word => word.length > 0);
        if (words.length === 0 || sections === null) {
            found.hidden = true;
            found.replaceChildren();
            hits.textContent = "";
            return;
        }
        const best = sections.map(section => ({section, points: score(section, words)}))
            .filter(each => each.points > 0)
            .sort((one, other) => other.points - one.points);
        found.replaceChildren(...best.slice(0, MOST).map(each => entry(each.section, words)));
        found.hidden = best.length === 0;
        hits.textContent = best.length === 0 ? "nothing found" : best.length === 1 ? "1 section" : best.length + " sections";
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
