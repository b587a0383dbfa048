// SPDX-License-Identifier: Apache-2.0
/** The messages of a topic as they are put: the newest first, so many and no more; paused and resumed. */
import {number, rate} from "../format.js";
import {t, tn} from "../i18n.js";
import {html, useEffect, useRef, useState} from "../lib.js";
import {TextField} from "../parts/form.js";
import {change, href} from "../route.js";
import {follow, utf8Length} from "../tailstream.js";
import {neighbors} from "./browse.js";
import {MessageTable} from "./messagetable.js";
import {PartitionField} from "./range.js";

const KEPT = 1000;
const KEPT_CHARACTERS = 2048; // of a value: its row shows the beginning
const RATE_MILLIS = 2000;

export function Tail({topic, query, columns}) {
    const [paused, setPaused] = useState(false);
    const wanted = (query.contains ?? "").toLowerCase();
    const {messages, matches, received, looked, matched, perSecond, state, problems, pause} =
        useTail(topic.name, query.p, wanted);
    const rows = wanted === "" ? messages : matches;
    useEffect(() => {
        neighbors.rows = rows;
    }, [rows]);
    const toggle = () => {
        pause(!paused);
        setPaused(!paused);
    };
    return html`<div class="panel stack">
        <div class="fields">
            <${PartitionField} value=${query.p} count=${topic.partitions} onChange=${p => change({p})} />
            <${TextField} label=${t("tail.contains")} hint=${t("tail.containsHint")} type="search"
                name="contains" value=${query.contains ?? ""} data-filter
                onChange=${contains => change({contains})} />
        </div>
        <div class="row spread">
            <p class="row"><span role="status"
                class=${state.name === "open" && !paused ? "badge good" : "badge warn"}>${stateText(state,
                    paused)}</span>
                <span class="tail-count">${tn("tail.received", received)}</span>
                ${wanted && html`<span>${tn("tail.shown", matched)}</span>
                    <span>${tn("tail.others", looked - matched)}</span>`}
                <span class="quiet">${rate(perSecond)}</span></p>
            <button type="button" onClick=${toggle}>${paused ? t("tail.resume") : t("tail.pause")}</button>
        </div>
    </div>
    ${problems.map(each => html`<div class="note warn" role="alert" key=${each.partition}>
        <p>${t("tail.problem", {partition: each.partition})} <span lang="en">${each.problem.detail}</span></p>
        ${each.problem.skip !== undefined && html`<p><a href=${href(["topics", topic.name, "messages"],
            {p: each.partition, m: `${each.partition}.${each.problem.skip - 1}`})}>${t("tail.openSkipped")}</a></p>`}
    </div>`)}
    <${MessageTable} rows=${rows} columns=${columns} empty=${wanted && received > 0 ? t("tail.noneMatches")
        : t("tail.empty")} />
    ${(wanted ? matched : received) > KEPT && html`<p class="quiet small">${t("tail.kept", {n: number(KEPT)})}</p>`}`;
}

function stateText(state, paused) {
    if (state.name === "open") {
        return paused ? t("tail.paused") : t("tail.open");
    }
    return state.name === "waiting" ? t("tail.waiting", {seconds: Math.ceil(state.wait / 1000)}) : t("tail.connecting");
}

function holds(message, wanted) {
    return [message.key, message.tag, message.value].some(each => each?.toLowerCase().includes(wanted));
}

const NOTHING = {messages: [], matches: [], received: 0, looked: 0, matched: 0, perSecond: 0};

/** The newest messages first, no more than are kept. */
function kept(found, before) {
    return [...found.slice(-KEPT).reverse().map(shortened), ...before].slice(0, KEPT);
}

/** Shows another text: among the messages that are kept, those that have it. */
function narrowed(shown, wanted, previous) {
    const isPart = previous !== "" && wanted.includes(previous);
    const matches = (isPart ? shown.matches : shown.messages).filter(each => holds(each, wanted));
    const looked = isPart ? shown.looked - shown.matched + shown.matches.length : shown.messages.length;
    return {...shown, matches, matched: matches.length, looked};
}

/** Follows a topic while the page is there. Messages with the wanted text are kept beside the newest of all. */
function useTail(topic, partitions, wanted) {
    const [shown, setShown] = useState(NOTHING);
    const [state, setState] = useState({name: "connecting"});
    const [problems, setProblems] = useState([]);
    const stream = useRef();
    const held = useRef(false);
    const filter = useRef("");
    useEffect(() => {
        const previous = filter.current;
        filter.current = wanted;
        setShown(before => narrowed(before, wanted, previous));
    }, [wanted]);
    useEffect(() => {
        setShown(NOTHING);
        setProblems([]);
        let since = 0; // messages since the rate was last shown
        const listed = partitions ? partitions.split(",").map(Number) : undefined;
        stream.current = follow(topic, listed, found => {
            since += found.length;
            const matching = filter.current === "" ? [] : found.filter(each => holds(each, filter.current));
            setShown(before => ({...before, received: before.received + found.length,
                looked: before.looked + found.length, matched: before.matched + matching.length,
                messages: kept(found, before.messages), matches: kept(matching, before.matches)}));
            setProblems(before => before.some(each => isOver(each, found)) ? before.filter(each => !isOver(each, found))
                : before);
        }, (name, wait) => setState({name, wait}), (partition, problem) => setProblems(before =>
            [...before.filter(each => each.partition !== partition), {partition, problem}]));
        if (held.current) { // another partition, while the page is paused
            stream.current.pause();
        }
        const measuring = setInterval(() => {
            const perSecond = since * 1000 / RATE_MILLIS;
            since = 0;
            setShown(before => before.perSecond === perSecond ? before : {...before, perSecond});
        }, RATE_MILLIS);
        return () => {
            clearInterval(measuring);
            stream.current.close();
        };
    }, [topic, partitions]);
    const pause = paused => {
        held.current = paused;
        paused ? stream.current.pause() : stream.current.resume();
    };
    return {...shown, state, problems, pause};
}

/** Whether a partition's problem is over, as messages come again; one that was left out stays to be opened. */
function isOver({partition, problem}, found) {
    return problem.skip === undefined && found.some(each => each.partition === partition);
}

/** A message of which no more is kept than its row shows; with the size of its bytes. */
function shortened(message) {
    const text = message.value ?? message.base64 ?? "";
    const padding = message.base64?.endsWith("==") ? 2 : message.base64?.endsWith("=") ? 1 : 0;
    const size = message.base64 === undefined ? utf8Length(text) : text.length / 4 * 3 - padding;
    const cut = text.length > KEPT_CHARACTERS;
    const member = message.base64 === undefined ? "value" : "base64";
    // A copy of the characters: a part of a text would keep the whole of it.
    return {...message, size, truncated: cut || undefined,
        ...(cut ? {[member]: [...text.slice(0, KEPT_CHARACTERS)].join("")} : {})};
}
