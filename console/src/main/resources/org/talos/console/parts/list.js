// SPDX-License-Identifier: Apache-2.0
/** Long lists, which the server searches, sorts, and counts. A page asks for a part of one, as the address says. */
import {get} from "../api.js";
import {duration, number} from "../format.js";
import {t} from "../i18n.js";
import {html, useEffect, useRef, useState} from "../lib.js";
import {usePoll} from "../poll.js";
import {href, useRoute} from "../route.js";

const ROWS = 200;
const REFRESH_MILLIS = 15_000;
const TYPING_MILLIS = 250;
const OLD_MILLIS = 15_000;

/** Returns a text once nobody has typed for a moment: each key would be a request. */
function useSettled(text) {
    const [settled, setSettled] = useState(text);
    useEffect(() => {
        const timer = setTimeout(() => setSettled(text), TYPING_MILLIS);
        return () => clearTimeout(timer);
    }, [text]);
    return settled;
}

/**
 * Returns a part of a list of REST, by the address: q is the filter, sort a name with "-" before it to begin with the
 * largest, after the place behind which the part begins. Answers to an earlier filter or order are ignored. The rows of
 * the previous one stay until the next ones come.
 *
 * @param path below /v1/
 * @param sorts the orders that the server has
 * @param topic the only one of the list, if it has one
 * @return as of usePoll; loading also while somebody types
 */
export function useList(path, sorts, topic) {
    const {query: {q = "", sort = "", after = ""}} = useRoute();
    const contains = useSettled(q);
    const order = sorts.includes(sort.replace("-", "")) ? sort : "";
    const page = usePoll(options => get(path, {
        topic, contains, after, limit: ROWS, sort: order.replace("-", ""), order: order.startsWith("-") ? "desc" : "",
    }, options), REFRESH_MILLIS, [path, topic, contains, order, after]);
    const previous = useRef();
    previous.current = page.data ?? (page.error ? undefined : previous.current);
    return {...page, data: previous.current, loading: page.loading || contains !== q};
}

/** Shows how many rows match, which is the text, and how old the figures are unless they are recent. */
export function Count({from, text}) {
    const age = from.data.ageMillis;
    return html`<p class=${from.loading ? "spin" : "quiet"} role="status">${text}${age > OLD_MILLIS
        ? ` · ${t("list.age", {time: duration(age)})}` : ""}</p>`;
}

/** Links to the other parts of a list, and what is to be known of a list that lacks rows. */
export function Parts({from, path}) {
    const {query} = useRoute();
    const {next, complete = true} = from.data;
    return html`<div class="row">
        ${!complete && html`<p role="status">${t("list.incomplete")}</p>`}
        ${query.after && html`<a class="button" href=${href(path, {...query, after: ""})}>${t("list.first")}</a>`}
        ${next && html`<a class="button"
            href=${href(path, {...query, after: next})}>${t("list.next", {n: number(ROWS)})}</a>`}
    </div>`;
}

/**
 * Returns what stands where a part has no rows. That there are none is said of a whole list only.
 *
 * @param none of a list that is not filtered
 * @param noneFiltered of one that is
 */
export function emptyText({data, loading}, filter, none, noneFiltered) {
    if (loading) {
        return t("loading");
    }
    if (data.total > 0) {
        return t("list.behind");
    }
    return data.complete === false ? t("list.noneSearched") : filter.trim() === "" ? none : noneFiltered;
}
