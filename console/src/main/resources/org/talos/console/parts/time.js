// SPDX-License-Identifier: Apache-2.0
/** A moment, in the reader's zone or in UTC, whichever is chosen; the other is in its title. */
import {ago, NONE, time, zone} from "../format.js";
import {html} from "../lib.js";

/** @param at milliseconds since 1970, or an ISO text; relative adds how long ago it was */
export function Time({at, relative}) {
    const date = new Date(at);
    if (at === undefined || at === null || Number.isNaN(date.getTime())) {
        return NONE;
    }
    const utc = zone() === "UTC";
    const other = utc ? time(date, undefined) : `${time(date, "UTC")} UTC`;
    return html`<time class="nowrap numbers" datetime=${date.toISOString()} title=${other}>${time(date)}${utc ? " UTC" : ""}</time>
        ${relative && html` <span class="quiet nowrap">(${ago(date)})</span>`}`;
}
