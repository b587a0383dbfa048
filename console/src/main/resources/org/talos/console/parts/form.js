// SPDX-License-Identifier: Apache-2.0
/** Fields with their labels, hints and what is wrong with them, tied together for screen readers. */
import {html, useEffect, useMemo, useState} from "../lib.js";
import {t} from "../i18n.js";

let last = 0;

/** An id that nothing else on the page has. */
export function useId() {
    return useMemo(() => `id-${++last}`, []);
}

/** A label, a control, a hint. The child is a function that gets the control's attributes. */
export function Field({label, hint, wrong, children, wide}) {
    const id = useId();
    const described = [hint ? `${id}-hint` : "", wrong ? `${id}-wrong` : ""].filter(each => each).join(" ")
        || undefined;
    return html`<div class=${wide ? "field wide" : "field"}>
        <label for=${id}>${label}</label>
        ${children({id, "aria-describedby": described, "aria-invalid": wrong ? "true" : undefined})}
        ${hint && html`<div class="hint" id="${id}-hint">${hint}</div>`}
        ${wrong && html`<div class="wrong" id="${id}-wrong">${wrong}</div>`}
    </div>`;
}

/** A line of text. onChange gets the text. */
export function TextField({label, hint, wrong, value, onChange, type = "text", wide, ...rest}) {
    return html`<${Field} label=${label} hint=${hint} wrong=${wrong} wide=${wide}>
        ${attributes => html`<input ...${attributes} type=${type} value=${value} spellcheck=${false} autocomplete="off"
            ...${rest}
            onInput=${event => onChange(event.target.value)} />`}
    <//>`;
}

/** Several lines of text. */
export function AreaField({label, hint, wrong, value, onChange, wide, ...rest}) {
    return html`<${Field} label=${label} hint=${hint} wrong=${wrong} wide=${wide}>
        ${attributes => html`<textarea ...${attributes} value=${value} spellcheck=${false} ...${rest}
            onInput=${event => onChange(event.target.value)}></textarea>`}
    <//>`;
}

/** One of several values: options is a list of [value, text]. */
export function SelectField({label, hint, value, onChange, options, ...rest}) {
    return html`<${Field} label=${label} hint=${hint}>
        ${attributes => html`<select ...${attributes} value=${value} ...${rest}
            onChange=${event => onChange(event.target.value)}>
            ${options.map(([each, text]) => html`<option value=${each} selected=${each === value}>${text}</option>`)}
        </select>`}
    <//>`;
}

/** Yes or no. */
export function CheckField({label, hint, checked, onChange, ...rest}) {
    const id = useId();
    return html`<div class="field">
        <div class="field inline">
            <input type="checkbox" id=${id} checked=${checked} aria-describedby=${hint ? `${id}-hint` : undefined}
                ...${rest}
                onChange=${event => onChange(event.target.checked)} />
            <label for=${id}>${label}</label>
        </div>
        ${hint && html`<div class="hint" id="${id}-hint">${hint}</div>`}
    </div>`;
}

/** A button of a table's row: its text, and for screen readers the name of the row. */
export function RowButton({text, of, onClick}) {
    return html`<button type="button" class="plain" onClick=${onClick}>${text}<span
        class="hidden-visually">: ${of}</span></button>`;
}

/** A button that copies a text, and says beside it that it has: news at the page's edge are not heard in a dialog. */
export function Copy({text, label}) {
    const [said, setSaid] = useState("");
    useEffect(() => setSaid(""), [text]);
    const copy = async () => {
        setSaid("");
        try {
            await navigator.clipboard.writeText(text); // which is missing where the page came without TLS
            setSaid(t("copied"));
        } catch (refused) {
            setSaid(t("copyRefused"));
        }
    };
    return html`<span><button type="button" class="plain" onClick=${copy}>${label}</button><span
        class="small quiet" role="status">${said}</span></span>`;
}

/** Whole numbers of at least one as they stand in a field; undefined if it is empty, NaN if it is something else. */
export function whole(text) {
    const trimmed = String(text).trim();
    return trimmed === "" ? undefined : /^[0-9]{1,15}$/.test(trimmed) ? Number(trimmed) : NaN;
}
