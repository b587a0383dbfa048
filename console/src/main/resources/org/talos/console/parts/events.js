// SPDX-License-Identifier: Apache-2.0
/** What happened, the last first. The server's own words are English. */
import {t} from "../i18n.js";
import {html} from "../lib.js";
import {Time} from "./time.js";

/** @param events each {at, text}, oldest first */
export function Events({events}) {
    if (events.length === 0) {
        return html`<p class="quiet">${t("events.none")}</p>`;
    }
    return html`<ol class="events" tabindex="0"
        aria-label=${t("events")}>${[...events].reverse().map((each, index) => html`<li key=${index}>
        <${Time} at=${each.at} /> <span lang="en" class="break">${each.text}</span></li>`)}</ol>`;
}
