// SPDX-License-Identifier: Apache-2.0
/** Dialogs: the browser keeps the focus within, ends them by Escape, and gives the focus back. */
import {html, useLayoutEffect, useRef, useState} from "../lib.js";
import {t} from "../i18n.js";
import {useAction} from "../poll.js";
import {ErrorNote} from "./error.js";
import {TextField, useId} from "./form.js";

/**
 * A dialog that is open for as long as it is drawn.
 *
 * @param onClose it is to be drawn no more
 * @param onSubmit if there is one, the content is a form
 * @param stay whether only buttons of its content end the dialog, and Escape does not
 * @param hides whether nothing of the page is seen behind the dialog
 */
export function Dialog({title, onClose, onSubmit, wide, stay, hides, children}) {
    const element = useRef();
    const heading = useId();
    useLayoutEffect(() => {
        const dialog = element.current;
        const before = document.activeElement;
        dialog.showModal();
        (dialog.querySelector("[autofocus]") ?? dialog.querySelector("h2")).focus();
        return () => {
            dialog.close();
            if (before?.isConnected) {
                before.focus();
            } else {
                document.querySelector("main h1")?.focus(); // what opened it is gone, as a row that was deleted
            }
        };
    }, []);
    const submit = event => {
        event.preventDefault();
        onSubmit();
    };
    const leave = event => {
        event.preventDefault();
        if (!stay && event.target === event.currentTarget) { // a field for a file has such an event, too
            onClose();
        }
    };
    // A browser may end a dialog by a second Escape without a question.
    const ended = () => {
        if (element.current?.isConnected) {
            if (stay) {
                element.current.showModal();
            } else {
                onClose();
            }
        }
    };
    const classes = [wide ? "wide" : "", hides ? "hides" : ""].filter(each => each).join(" ");
    const content = html`<h2 id=${heading} tabindex="-1">${title}</h2>${children}`;
    return html`<dialog ref=${element} class=${classes} aria-labelledby=${heading} onCancel=${leave} onClose=${ended}
            onKeyDown=${event => stay && event.key === "Escape" && event.preventDefault()}>
        ${onSubmit ? html`<form onSubmit=${submit} novalidate>${content}</form>`
            : html`<div class="body">${content}</div>`}
    </dialog>`;
}

/** The buttons of a dialog: to leave it, and to do what it is for; done if that has been done, and can be again. */
export function DialogButtons({onClose, action, busy, disabled, bad, done}) {
    return html`<footer>
        <button type="button" onClick=${onClose}>${done ? t("close") : t("cancel")}</button>
        <button type="submit" class=${bad ? "main bad" : "main"} disabled=${busy || disabled}>${busy ? t("busy")
            : action}</button>
    </footer>`;
}

/**
 * Asks before something that cannot be taken back, or not easily.
 *
 * @param word what has to be typed first, or undefined if the button is enough
 * @param act does it; the dialog ends once its promise is done, and stays if it fails
 */
export function Confirm({title, word, action, act, onClose, bad = true, children}) {
    const [typed, setTyped] = useState("");
    const doing = useAction(async () => {
        await act();
        return true;
    });
    const submit = async () => {
        if ((word === undefined || typed === word) && await doing.run()) {
            onClose();
        }
    };
    return html`<${Dialog} title=${title} onClose=${onClose} onSubmit=${submit}>
        ${children}
        ${word !== undefined && html`<${TextField} label=${t("confirm.type", {word})} value=${typed}
            onChange=${setTyped} autofocus />`}
        <${ErrorNote} error=${doing.error} />
        <${DialogButtons} onClose=${onClose} action=${action} busy=${doing.busy} bad=${bad}
            disabled=${word !== undefined && typed !== word} />
    <//>`;
}
