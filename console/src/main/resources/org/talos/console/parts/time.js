// SPDX-License-Identifier: Apache-2.0
/** A moment, in the reader's zone or in UTC, whichever is chosen; the other is in its title. */
import {ago, localZone, NONE, time, wantsUtc} from "../format.js";
import {html} from "../lib.js";

const DATE_LENGTH = "2026-01-31 ".length;
const SECONDS_LENGTH = "2026-01-31 12:00:00".length;

/** @param at milliseconds since 1970, or an ISO text; relative adds how long ago it was, precise the milliseconds */
export function Time({at, relative, precise}) {
    const date = new Date(at);
    if (at === undefined || at === null || Number.isNaN(date.getTime())) {
        return NONE;
    }
    const utc = wantsUtc();
    const other = utc ? time(date, localZone()) : `${time(date, "UTC")} UTC`;
    const text = time(date);
    return html`<time class="nowrap numbers" datetime=${date.toISOString()} title=${other}><span
        class="date">${text.slice(0, DATE_LENGTH)}</span>
            ${precise ? text.slice(DATE_LENGTH) : text.slice(DATE_LENGTH, SECONDS_LENGTH)}${utc ? " UTC" : ""}</time>
        ${relative && html` <span class="quiet nowrap">(${ago(date)})</span>`}`;
}
