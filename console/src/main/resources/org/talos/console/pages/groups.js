// SPDX-License-Identifier: Apache-2.0
/** The consumer groups of all topics. A few topics are searched at once, up to a number until a user asks for more. */
import {at, get, isAborted} from "../api.js";
import {number} from "../format.js";
import {t, tn} from "../i18n.js";
import {html, useEffect, useMemo, useState} from "../lib.js";
import {ErrorNote} from "../parts/error.js";
import {TextField} from "../parts/form.js";
import {limited} from "../queue.js";
import {change, useRoute} from "../route.js";
import {GroupTable} from "./grouptable.js";

const TOPICS = 200;
const AT_ONCE = 4;

export default function Groups() {
    const {query} = useRoute();
    const filter = query.q ?? "";
    const {rows, looked, after, running, error, more} = useGroups();
    const words = filter.toLowerCase().split(/\s+/).filter(each => each);
    const shown = useMemo(() =>
        rows.filter(row => words.every(word => `${row.topic} ${row.group}`.toLowerCase().includes(word))),
            [rows, filter]);
    return html`<div class="stack">
        <h1 tabindex="-1">${t("nav.groups")}</h1>
        <${TextField} label=${t("groups.filter")} type="search" value=${filter} data-filter
            onChange=${q => change({q})} />
        <p role="status" class=${running ? "spin" : "quiet"}>${tn("groups.count", shown.length)} ${tn("groups.looked",
            looked)}</p>
        <${ErrorNote} error=${error} retry=${more} />
        <${GroupTable} rows=${shown} withTopic empty=${running ? t("loading") : t("groups.none")} />
        ${after && !running && html`<div><button type="button"
            onClick=${more}>${t("groups.more", {n: number(TOPICS)})}</button></div>`}
    </div>`;
}

/** Groups as {topic, group} of the topics that were searched so far. */
function useGroups() {
    const [state, setState] = useState({found: new Map(), running: true}); // groups by topic: one is asked again
    const [begun, setBegun] = useState(0);
    useEffect(() => {
        const controller = new AbortController();
        setState(before => ({...before, running: true, error: undefined}));
        look(state.after, controller.signal, (topic, groups) =>
            setState(before => ({...before, found: new Map(before.found).set(topic, groups)})))
            .then(after => setState(before => ({...before, after, running: false})),
                error => !isAborted(error) && setState(before => ({...before, error, running: false})));
        return () => controller.abort();
    }, [begun]);
    const rows = useMemo(() => [...state.found].flatMap(([topic, groups]) => groups.map(group => ({topic, group}))),
        [state.found]);
    return {...state, rows, looked: state.found.size, more: () => setBegun(count => count + 1)};
}

async function look(after, signal, onFound) {
    const page = await get("topics", {after, limit: TOPICS}, {signal});
    const turn = limited(AT_ONCE);
    await Promise.all(page.topics.map(({name}) => turn(async () => {
        const {groups} = await get(at`topics/${name}/groups`, {}, {signal});
        onFound(name, groups);
    }).catch(error => {
        if (error.status !== 403 && error.status !== 404) { // its groups are not for this user, or it has gone
            throw error;
        }
        onFound(name, []);
    })));
    return page.next;
}
