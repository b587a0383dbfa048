// SPDX-License-Identifier: Apache-2.0
/** JSON as a tree whose parts are opened and closed. Only what is open is drawn, and of long lists a part. */
import {tn, t} from "../i18n.js";
import {isJson, partsOf} from "../jsontext.js";
import {html, useMemo, useState} from "../lib.js";

const CHILDREN = 100;
const TEXT_CHARACTERS = 2000;
const OPEN_DEPTH = 2;

/** Whether a text is an object or a list of JSON. */
export function isTree(text) {
    return /^\s*[[{]/.test(text) && isJson(text);
}

/** The tree of a text that is one, with all that is in the text but the white space. */
export function JsonView({text}) {
    return html`<div class="json mono" role="group" tabindex="0" aria-label="JSON"><${Node} text=${text.trim()}
        depth=${0} /></div>`;
}

function Node({name, text, depth}) {
    const label = name === undefined ? "" : html`<span class="json-name">${name}</span>: `;
    return text[0] === "{" || text[0] === "[" ? html`<${Branch} label=${label} text=${text} depth=${depth} />`
        : html`<div class="leaf">${label}<${Leaf} text=${text} /></div>`;
}

function Branch({label, text, depth}) {
    const [open, setOpen] = useState(depth < OPEN_DEPTH);
    const [shown, setShown] = useState(CHILDREN);
    const parts = useMemo(() => partsOf(text), [text]);
    const list = text[0] === "[";
    const [begin, end] = list ? ["[", "]"] : ["{", "}"];
    return html`<details open=${open} onToggle=${event => setOpen(event.currentTarget.open)}>
        <summary>${label}${begin} <span class="quiet">${list ? tn("json.items", parts.length)
            : tn("json.members", parts.length)}</span> ${end}</summary>
        <div class="children">
            ${open && parts.slice(0, shown).map((each, index) => html`<${Node} key=${index} name=${each.name ?? index}
                text=${each.text} depth=${depth + 1} />`)}
            ${open && parts.length > shown
                && html`<button type="button" class="plain" onClick=${() => setShown(shown + 10 * CHILDREN)}>
                ${tn("json.more", parts.length - shown)}</button>`}
        </div>
    </details>`;
}

function Leaf({text}) {
    const [whole, setWhole] = useState(false);
    if (text[0] !== "\"") {
        return html`<span class="json-number">${text}</span>`;
    }
    return html`<span class="json-text">${whole ? text : text.slice(0, TEXT_CHARACTERS)}</span>${!whole
        && text.length > TEXT_CHARACTERS
        && html` <button type="button" class="plain" onClick=${() => setWhole(true)}>${t("showAll")}</button>`}`;
}
