// SPDX-License-Identifier: Apache-2.0
/** Whether the server can do its work, and what that is made of: ZooKeeper, storage, metadata, as doctor sees them. */
import {t} from "../i18n.js";
import {html} from "../lib.js";

/**
 * Whether a server can do its work, which is not known while it does not answer.
 *
 * @param stale whether that is what it said before
 */
export function ReadyBadge({ready, stale}) {
    if (stale) {
        return html`<span class="badge warn">${t("health.unknown")}</span>`;
    }
    return html`<span class=${ready ? "badge good" : "badge bad"}>${ready ? t("health.ready")
        : t("health.notReady")}</span>`;
}

export function Checks({overview, stale}) {
    const {ready, checks = [], warnings = [], server} = overview;
    return html`<section class="panel" aria-labelledby="health">
        <header><h2 id="health">${t("health")}${server && html` <span class="quiet">${server}</span>`}</h2>
            <${ReadyBadge} ready=${ready} stale=${stale} /></header>
        <ul class="checks">${checks.map(each => html`<li key=${each.name}>
            ${stale ? html`<span class="badge">${t("health.unknown")}</span>`
                : html`<span class=${each.ok ? "badge good" : "badge bad"}>${each.ok ? t("health.ok")
                    : t("health.fails")}</span>`}
            <span><strong>${each.name}</strong>${each.reason
                && html` <span lang="en" class="break">${each.reason}</span>`}</span></li>`)}
        ${warnings.map(each => html`<li key=${each.name}><span class="badge warn">${t("health.warning")}</span>
            <span><strong>${each.name}</strong> <span lang="en" class="break">${each.text}</span></span></li>`)}</ul>
    </section>`;
}
