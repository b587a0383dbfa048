// SPDX-License-Identifier: Apache-2.0
/** Short news at the edge of the page: what has been done, said to screen readers as well. */
import {html, useEffect, useState} from "../lib.js";
import {t} from "../i18n.js";

const SHOWN_MILLIS = 6000;
const MOST = 4;
let shown = [];
let next = 0;
let redraw = () => undefined;

/** Says that something has been done; it goes by itself. What has gone wrong stands where it was begun, not here. */
export function toast(text) {
    const id = next++;
    shown = [...shown, {id, text}].slice(-MOST);
    redraw();
    setTimeout(() => dismiss(id), SHOWN_MILLIS);
}

function dismiss(id) {
    shown = shown.filter(each => each.id !== id);
    redraw();
}

/** Where the news stand; once on the page. */
export function Toasts() {
    const [, setCount] = useState(0);
    useEffect(() => {
        redraw = () => setCount(count => count + 1);
    }, []);
    return html`<div class="toasts" role="status" aria-live="polite">
        ${shown.map(each => html`<div class="note good toast" key=${each.id}>
            <span>${each.text}</span>
            <button type="button" class="plain" onClick=${() => dismiss(each.id)} aria-label=${t("dismiss")}>×</button>
        </div>`)}
    </div>`;
}
