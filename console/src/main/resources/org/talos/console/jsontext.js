// SPDX-License-Identifier: Apache-2.0
/**
 * JSON as it is written. JSON.parse loses the order of some members, repeated names, and digits of large numbers: what
 * it gives is not the text that somebody has typed or stored.
 */

/** Whether a text is JSON. */
export function isJson(text) {
    try {
        JSON.parse(text);
        return true;
    } catch (notJson) {
        return false;
    }
}

/**
 * The members of an object, or the elements of a list, in their order: each has its text, and a member its name with
 * the quotes.
 *
 * @param text an object or a list that is JSON, without white space around it
 */
export function partsOf(text) {
    const isObject = text[0] === "{";
    const parts = [];
    let at = afterSpace(text, 1);
    while (text[at] !== "}" && text[at] !== "]") {
        let name;
        if (isObject) {
            const end = afterText(text, at);
            name = text.slice(at, end);
            at = afterSpace(text, afterSpace(text, end) + 1); // behind the colon
        }
        const end = afterValue(text, at);
        parts.push({name, text: text.slice(at, end)});
        at = afterSpace(text, end);
        if (text[at] === ",") {
            at = afterSpace(text, at + 1);
        }
    }
    return parts;
}

function afterValue(text, begin) {
    let at = begin;
    let depth = 0;
    do {
        const character = text[at];
        if (character === "\"") {
            at = afterText(text, at);
        } else if (character === "{" || character === "[") {
            depth++;
            at++;
        } else if (character === "}" || character === "]") {
            depth--;
            at++;
        } else {
            at = depth === 0 ? afterWord(text, at) : at + 1;
        }
    } while (depth > 0);
    return at;
}

/** Behind a number, or true, false or null. */
function afterWord(text, begin) {
    let at = begin;
    while (at < text.length && !",]} \n\r\t".includes(text[at])) {
        at++;
    }
    return at;
}

function afterText(text, quote) {
    let at = quote + 1;
    while (text[at] !== "\"") {
        at += text[at] === "\\" ? 2 : 1; // what follows a backslash does not end the text
    }
    return at + 1;
}

function afterSpace(text, begin) {
    let at = begin;
    while (at < text.length && " \n\r\t".includes(text[at])) {
        at++;
    }
    return at;
}
