// SPDX-License-Identifier: Apache-2.0
/** What the reader has chosen for this browser: language, theme, zone of times. Kept in the browser, never sent. */
const PREFIX = "talos.";
const listeners = new Set();

/** The value of a setting, or what is given for one that was never set. */
export function setting(name, otherwise) {
    try {
        return localStorage.getItem(PREFIX + name) ?? otherwise;
    } catch (refused) {
        return otherwise; // the browser keeps nothing for this page
    }
}

/** Keeps a setting and tells those who listen. */
export function choose(name, value) {
    try {
        localStorage.setItem(PREFIX + name, value);
    } catch (refused) {
        console.info("The browser keeps no settings for this page.");
    }
    if (name === "theme") {
        applyTheme(value);
    }
    listeners.forEach(listener => listener(name));
}

/** Calls the listener with the name of each setting that changes; the answer ends that. */
export function onSetting(listener) {
    listeners.add(listener);
    return () => listeners.delete(listener);
}

function applyTheme(value) {
    if (value === "light" || value === "dark") {
        document.documentElement.dataset.theme = value;
    } else {
        delete document.documentElement.dataset.theme;
    }
}
