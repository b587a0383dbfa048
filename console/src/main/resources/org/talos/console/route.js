// SPDX-License-Identifier: Apache-2.0
/**
 * Where the reader is: the part of the address behind "#", as #/topics/orders/messages?from=earliest. All that a page
 * shows follows from it, so that an address can be sent to somebody else.
 */
import {useEffect, useState} from "./lib.js";

const listeners = new Set();

/** The path's names and the query's values that an address has. */
export function parse(hash) {
    const [path, query = ""] = hash.replace(/^#\/?/, "").split(/\?(.*)/s);
    return {path: path.split("/").filter(each => each !== "").map(decoded),
        query: Object.fromEntries(new URLSearchParams(query))};
}

function decoded(text) {
    try {
        return decodeURIComponent(text);
    } catch (malformed) {
        return text; // an address that was typed: it names no page, and is answered so
    }
}

/** The address of a path, given as a list of names, and of the query's values; those that are empty are left out. */
export function href(path, query = {}) {
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) {
        if (value !== undefined && value !== null && value !== "" && value !== false) {
            parameters.set(name, value === true ? "1" : value);
        }
    }
    const text = parameters.toString();
    return `#/${path.map(encodeURIComponent).join("/")}${text === "" ? "" : `?${text}`}`;
}

/** Goes to an address of {@link href}; with replace the one before cannot be gone back to. */
export function go(address, replace = false) {
    if (replace) {
        history.replaceState(null, "", address);
        tell();
    } else if (location.hash !== address) {
        location.hash = address;
    } else {
        tell();
    }
}

/** Changes some of the query's values and keeps the others. */
export function change(values, replace = true) {
    const {path, query} = current();
    go(href(path, {...query, ...values}), replace);
}

/** Where the reader is now. */
export function current() {
    return parse(location.hash);
}

function tell() {
    listeners.forEach(listener => listener());
}

/** Where the reader is, for a component that is to be drawn again when that changes. */
export function useRoute() {
    const [route, setRoute] = useState(current);
    useEffect(() => {
        const listener = () => setRoute(current());
        listeners.add(listener);
        window.addEventListener("hashchange", listener);
        return () => {
            listeners.delete(listener);
            window.removeEventListener("hashchange", listener);
        };
    }, []);
    return route;
}
