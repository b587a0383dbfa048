// SPDX-License-Identifier: Apache-2.0
/** A stored message in the form that puts messages, so that it can be edited and put again. */
import {isJson} from "../jsontext.js";
import {contentOf} from "./content.js";

const FIELD_CHARACTERS = 512 * 1024; // that a field lays out without a stop; longer values stay as they are
const OF_TRACING = ["traceparent", "tracestate"]; // of the first put, and another put has its own
const BATCH = /^\ufeff?\s*\{\s*"messages"/; // that the server takes for one, if it comes without a content type
const LINE_ENDS = /\r\n|\r|\n/g;
const REPLACEMENT = "\ufffd"; // stands in JSON where a header has bytes that are not a text

/**
 * Returns the values of the form for a message, and the names of the headers that are left out.
 *
 * @param message as REST answers it in JSON, with all of its bytes
 */
export function againOf(message) {
    const names = new Set();
    const taken = [];
    const traced = [];
    const unfit = [];
    for (const [name, value] of Object.entries(message.headers ?? {})) {
        const key = name.toLowerCase();
        if (OF_TRACING.includes(key)) {
            traced.push(name);
        } else if (names.has(key) || !isLine(name, value)) {
            unfit.push(name);
        } else {
            names.add(key);
            taken.push([name, value]);
        }
    }
    const {text, bytes} = contentOf(message);
    const value = text ?? message.base64;
    const short = value.length <= FIELD_CHARACTERS;
    const [lineEnd, another] = new Set(text?.match(LINE_ENDS));
    const isTyped = text !== undefined && short && another === undefined;
    return {
        traced, unfit,
        message: {form: isTyped ? formOf(text, taken) : "kept", value: short ? value : "",
            lineEnd: another === undefined ? lineEnd : undefined,
            kept: new Blob([bytes]), isBatch: BATCH.test(text ?? ""), key: message.key ?? "", tag: message.tag ?? "",
            headers: taken.map(([name, each]) => `${name}: ${each}`).join("\n")},
    };
}

/** JSON only for what says that it is: the form for JSON adds a content type. */
function formOf(text, headers) {
    const typed = headers.some(([name, value]) => name.toLowerCase() === "content-type" && /json/i.test(value));
    return typed && isJson(text) ? "json" : "text";
}

/** A typed text with the line ends of the stored one: a field makes them all line feeds. */
export function withLineEnds({value, lineEnd}) {
    return lineEnd ? value.replace(LINE_ENDS, lineEnd) : value;
}

/** Whether a header is the same once it was a line of the form. */
function isLine(name, value) {
    return name.trim() === name && name !== "" && value.trim() === value && !name.includes(":")
        && !/[\r\n]/.test(name + value) && !value.includes(REPLACEMENT);
}
