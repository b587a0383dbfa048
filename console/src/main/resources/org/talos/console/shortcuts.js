// SPDX-License-Identifier: Apache-2.0
/** Keys that lead around: g and a letter to a page, / to the filter, ? to what there is. They can be switched off. */
import {go, href} from "./route.js";
import {setting} from "./settings.js";

/** The pages by the letter that follows g. */
export const LETTERS = {o: "overview", t: "topics", g: "groups", c: "cluster", u: "users"};
const SECOND_KEY_MILLIS = 1500;

/** Whether the reader wants them. */
export function shortcutsWanted() {
    return setting("shortcuts", "on") === "on";
}

/** Listens to the keyboard until the answer is called. */
export function shortcuts(admin, help) {
    let leading = -Infinity; // when g was pressed
    const pressed = event => {
        if (!shortcutsWanted() || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)
            || document.querySelector("dialog[open]")) {
            return;
        }
        const page = LETTERS[event.key];
        if (event.timeStamp - leading < SECOND_KEY_MILLIS && page && (admin || page !== "cluster")) {
            leading = -Infinity;
            go(href([page]));
        } else if (event.key === "g") {
            leading = event.timeStamp;
        } else if (event.key === "/") {
            const filter = document.querySelector("[data-filter]");
            if (filter) {
                event.preventDefault();
                filter.focus();
            }
        } else if (event.key === "?") {
            help();
        }
    };
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
}

function isTyping(element) {
    return element instanceof HTMLElement
        && (element.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(element.tagName));
}
