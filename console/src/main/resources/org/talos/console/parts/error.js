// SPDX-License-Identifier: Apache-2.0
/** What has gone wrong, in words, with what can be done. */
import {request} from "../api.js";
import {html} from "../lib.js";
import {t, tn} from "../i18n.js";
import {useAction} from "../poll.js";

/** The sentence for a failure of a request. */
export function explain(error) {
    const {status, code} = error.problem ?? {};
    if (code === "unreachable") {
        return t("error.unreachable");
    }
    if (code === "timeout") {
        return t("error.timeout");
    }
    const texts = {401: () => t("error.401"), 403: () => t("error.403"), 404: () => t("error.404"), 409: () =>
        t("error.409"),
        416: () => t("error.416"), 429: () => t("error.429"), 503: () => t("error.503")};
    return (texts[status] ?? (() => status >= 500 ? t("error.server") : t("error.refused")))();
}

/** A failure; retry, if there is one, is what its button does. */
export function ErrorNote({error, retry}) {
    if (!error) {
        return null;
    }
    const {detail, code, outcome, requestId} = error.problem ?? {detail: error.message};
    return html`<div class="note bad" role="alert">
        <p><strong>${error.problem ? explain(error) : t("error.page")}</strong></p>
        ${detail && html`<p lang="en">${detail}</p>`}
        ${outcome === "unknown" && html`<p>${t("error.unknown")}</p>`}
        ${error.retryAfter && html`<p>${tn("error.retryAfter", error.retryAfter)}</p>`}
        <div class="row small quiet">
            ${code && html`<code>${code}</code>`}
            ${requestId && html`<span>${t("error.requestId")} <code>${requestId}</code></span>`}
            ${retry && html`<button type="button" onClick=${retry}>${t("retry")}</button>`}
        </div>
    </div>`;
}

/**
 * What stands in place of a page whose files could not be loaded. Once the server answers again, all is loaded again: a
 * browser may remember that a file was missing, and after an update the server has other files.
 */
export function NotLoaded() {
    const retrying = useAction(async () => {
        await request("session");
        location.reload();
    });
    return html`<div class="note bad" role="alert">
            <p><strong>${t("error.page")}</strong></p>
            <p>${t("error.notLoaded")}</p>
            <button type="button" disabled=${retrying.busy} onClick=${() => retrying.run()}>${t("retry")}</button>
        </div>
        <${ErrorNote} error=${retrying.error} />`;
}

/**
 * What stands where data comes from: the failure, that it is under way, or what draws the data. The child gets the
 * data, and whether they are older than the failure.
 */
export function Loaded({from, children}) {
    return html`${from.error && html`<${ErrorNote} error=${from.error} retry=${from.refresh} />`}
        ${from.data === undefined && from.loading && html`<p class="spin" role="status">${t("loading")}</p>`}
        ${from.data !== undefined && children(from.data, from.error !== undefined)}`;
}
