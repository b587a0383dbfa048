// SPDX-License-Identifier: Apache-2.0
/** JSON as a tree whose parts are opened and closed. Only what is open is drawn, and of long lists a part. */
import {tn, t} from "../i18n.js";
import {html, useState} from "../lib.js";

const CHILDREN = 100;
const TEXT_CHARACTERS = 2000;
const OPEN_DEPTH = 2;

/** A number that JavaScript cannot hold exactly: shown as it was written. */
class WrittenNumber {
    constructor(text) {
        this.text = text;
    }
}

/** The value that a text is as JSON, with numbers as they were written, or undefined if it is no object or list. */
export function parsed(text) {
    if (!/^\s*[[{]/.test(text)) {
        return undefined;
    }
    try {
        return JSON.parse(text, (name, value, context) =>
            typeof value === "number" && context?.source !== undefined && String(value) !== context.source
                ? new WrittenNumber(context.source) : value);
    } catch (notJson) {
        return undefined;
    }
}

/** The tree of a value of {@link parsed}. */
export function JsonView({value}) {
    return html`<div class="json mono" role="group" tabindex="0" aria-label="JSON"><${Node} value=${value}
        depth=${0} /></div>`;
}

function Node({name, value, depth}) {
    const label = name === undefined ? "" : html`<span class="json-name">${name}</span>: `;
    if (value === null || typeof value !== "object" || value instanceof WrittenNumber) {
        return html`<div class="leaf">${label}<${Leaf} value=${value} /></div>`;
    }
    return html`<${Branch} label=${label} value=${value} depth=${depth} />`;
}

function Branch({label, value, depth}) {
    const [open, setOpen] = useState(depth < OPEN_DEPTH);
    const [shown, setShown] = useState(CHILDREN);
    const list = Array.isArray(value);
    const names = list ? value : Object.keys(value);
    const [begin, end] = list ? ["[", "]"] : ["{", "}"];
    const children = open ? Array.from({length: Math.min(shown, names.length)}, (each, index) => list ? index
        : names[index]) : [];
    return html`<details open=${open} onToggle=${event => setOpen(event.currentTarget.open)}>
        <summary>${label}${begin} <span class="quiet">${list ? tn("json.items", names.length)
            : tn("json.members", names.length)}</span> ${end}</summary>
        <div class="children">
            ${children.map(each => html`<${Node} key=${each} name=${list ? each : JSON.stringify(each)}
                value=${value[each]} depth=${depth + 1} />`)}
            ${open && names.length > shown
                && html`<button type="button" class="plain" onClick=${() => setShown(shown + 10 * CHILDREN)}>
                ${tn("json.more", names.length - shown)}</button>`}
        </div>
    </details>`;
}

function Leaf({value}) {
    const [whole, setWhole] = useState(false);
    if (typeof value !== "string") {
        return html`<span class="json-number">${value instanceof WrittenNumber ? value.text : String(value)}</span>`;
    }
    const text = JSON.stringify(whole ? value : value.slice(0, TEXT_CHARACTERS));
    return html`<span class="json-text">${text}</span>${!whole && value.length > TEXT_CHARACTERS
        && html` <button type="button" class="plain" onClick=${() => setWhole(true)}>${t("showAll")}</button>`}`;
}
