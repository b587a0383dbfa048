// SPDX-License-Identifier: Apache-2.0
/** Which server has which partition of a topic, in which epoch; what nobody has is being taken over. */
import {at, get} from "../api.js";
import {NONE, number, rate} from "../format.js";
import {t, tn} from "../i18n.js";
import {html, useState} from "../lib.js";
import {Loaded} from "../parts/error.js";
import {RowButton, TextField, useId} from "../parts/form.js";
import {Table} from "../parts/table.js";
import {usePoll} from "../poll.js";
import {change, useRoute} from "../route.js";
import {MoveDialog} from "./move.js";

const REFRESH_MILLIS = 2_000;
const SUGGESTED = 1000;

export function Placement({servers}) {
    const {query} = useRoute();
    const [typed, setTyped] = useState(query.topic ?? "");
    const topics = usePoll(options => get("topics", {limit: SUGGESTED}, options), 0, []);
    const list = useId();
    const submit = event => {
        event.preventDefault();
        change({topic: typed.trim()}, false);
    };
    return html`<section class="stack" aria-labelledby="placement">
        <h2 id="placement">${t("placement")}</h2>
        <form class="row bottom" onSubmit=${submit}>
            <${TextField} label=${t("topic")} name="placement" value=${typed} onChange=${setTyped} list=${list} />
            <datalist id=${list}>${topics.data?.topics.map(({name}) =>
                html`<option key=${name} value=${name}></option>`)}</datalist>
            <button type="submit">${t("show")}</button>
        </form>
        ${query.topic && html`<${Partitions} key=${query.topic} topic=${query.topic} servers=${servers} />`}
    </section>`;
}

function Partitions({topic, servers}) {
    const [moved, setMoved] = useState();
    const found = usePoll(options => get(at`topics/${topic}/partitions`, {}, options), REFRESH_MILLIS, [topic]);
    const columns = [
        {id: "partition", title: t("partition"), head: true, sort: row => row.partition, cell: row => row.partition},
        {id: "server", title: t("server"), sort: row => row.server ?? "", cell: row => row.server
            ?? html`<span class="badge warn">${t("placement.takenOver")}</span>`},
        {id: "epoch", title: t("epoch"), end: true, sort: row => row.epoch, cell: row => row.epoch ?? NONE},
        {id: "messages", title: t("messages"), end: true, wide: true, cell: row => number(row.messages)},
        {id: "rate", title: t("putRate"), end: true, wide: true, sort: row => row.putsPerSecond,
            cell: row => rate(row.putsPerSecond)},
        {id: "actions", title: "", class: "actions",
            cell: row => html`<${RowButton} text=${t("move.short")} of=${row.partition}
                onClick=${() => setMoved(row)} />`},
    ];
    const unserved = partitions => partitions.filter(each => !each.server).length;
    return html`<${Loaded} from=${found}>${({partitions}) => html`
        <p role="status">${unserved(partitions) > 0 && tn("placement.unserved", unserved(partitions))}</p>
        <${Table} caption=${t("placement")} columns=${columns} rows=${partitions}
            rowKey=${row => row.partition} />`}<//>
        ${moved && html`<${MoveDialog} servers=${servers} topic=${topic} partition=${moved.partition}
            from=${moved.server}
            onClose=${() => setMoved(undefined)} />`}`;
}
