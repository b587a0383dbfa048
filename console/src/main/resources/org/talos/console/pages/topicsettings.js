// SPDX-License-Identifier: Apache-2.0
/** A topic's settings, and its end. */
import {at, get, isAborted, send} from "../api.js";
import {bytes, number} from "../format.js";
import {t, tn} from "../i18n.js";
import {html, useEffect, useState} from "../lib.js";
import {Confirm} from "../parts/dialog.js";
import {ErrorNote} from "../parts/error.js";
import {TextField, whole} from "../parts/form.js";
import {Time} from "../parts/time.js";
import {toast} from "../parts/toast.js";
import {useAction} from "../poll.js";
import {go, href} from "../route.js";
import {EmptyDialog} from "./emptytopic.js";
import {RetentionField} from "./newtopic.js";
import {sum} from "./topics.js";

const MOST_PARTITIONS = 256;
const NAMED_GROUPS = 10;

export default function TopicSettings({topic, refresh}) {
    const [emptying, setEmptying] = useState(false);
    const [deleting, setDeleting] = useState(false);
    return html`<div class="stack">
        <${Change} key=${`${topic.partitions}/${topic.retentionSeconds}`} topic=${topic} refresh=${refresh} />
        <section class="panel" aria-labelledby="about"><h2 id="about">${t("topic.about")}</h2>
            <dl class="facts">
                <div><dt>${t("owner")}</dt><dd class="break">${topic.owner}</dd></div>
                <div><dt>${t("topic.resource")}</dt><dd class="break mono">${topic.resourceName}</dd></div>
                <div><dt>${t("created")}</dt><dd><${Time} at=${topic.createdAt} relative /></dd></div>
                <div><dt>${t("partitioner")}</dt><dd>${topic.partitioner}</dd></div>
                ${Object.entries(topic.attributes).map(([name, value]) =>
                    html`<div key=${name}><dt class="mono">${name}</dt><dd class="break mono">${value}</dd></div>`)}
            </dl></section>
        <section class="panel" aria-labelledby="empty"><h2 id="empty">${t("empty.action")}</h2>
            <p>${t("empty.hint")}</p>
            <button type="button" class="bad" onClick=${() => setEmptying(true)}>${t("empty.action")}</button></section>
        <section class="panel" aria-labelledby="end"><h2 id="end">${t("topic.delete")}</h2>
            <p>${t("topic.deleteHint")}</p>
            <button type="button" class="bad" onClick=${() => setDeleting(true)}>${t("topic.delete")}</button></section>
        ${emptying && html`<${EmptyDialog} topic=${topic} refresh=${refresh} onClose=${() => setEmptying(false)} />`}
        ${deleting && html`<${Delete} topic=${topic} onClose=${() => setDeleting(false)} />`}
    </div>`;
}

function Change({topic, refresh}) {
    const [partitions, setPartitions] = useState(String(topic.partitions));
    const [seconds, setSeconds] = useState(topic.retentionSeconds);
    const [asking, setAsking] = useState(false);
    const count = whole(partitions);
    const wrong = !(count >= topic.partitions && count <= MOST_PARTITIONS);
    const values = {
        ...(count === topic.partitions ? {} : {partitions: count}),
        ...(seconds === topic.retentionSeconds ? {} : {retentionSeconds: seconds}),
    };
    const change = async () => {
        await send("PATCH", at`topics/${topic.name}`, values);
        toast(t("topic.changed"));
        refresh();
        return true;
    };
    const saving = useAction(change);
    const grows = values.partitions !== undefined;
    const shortens = seconds < topic.retentionSeconds;
    const submit = event => {
        event.preventDefault();
        if (grows || shortens) {
            setAsking(true);
        } else {
            saving.run();
        }
    };
    return html`<form class="panel stack" onSubmit=${submit} novalidate>
        <h2>${t("topic.change")}</h2>
        <div class="fields">
            <${TextField} label=${t("partitions")} name="partitions" hint=${t("topic.partitionsHint")}
                wrong=${wrong && t("topic.partitionsWrong", {n: topic.partitions})}
                value=${partitions} onChange=${setPartitions} inputmode="numeric" />
            <${RetentionField} seconds=${topic.retentionSeconds} onChange=${setSeconds} />
        </div>
        <${ErrorNote} error=${saving.error} />
        <div><button type="submit" class="main"
            disabled=${wrong || Number.isNaN(seconds) || saving.busy
                || Object.keys(values).length === 0}>${t("save")}</button></div>
    </form>
    ${asking && html`<${Confirm} title=${t("topic.change")} action=${t("save")} act=${change}
            onClose=${() => setAsking(false)}>
            ${grows && html`<div class="note warn"><p>${t("topic.growText",
                {from: topic.partitions, to: count})}</p></div>`}
            ${shortens && html`<div class="note warn"><p>${t("topic.shortenText")}</p></div>`}<//>`}`;
}

/** Spells out what goes with a topic before it does. */
function Delete({topic, onClose}) {
    const [groups, setGroups] = useState();
    const [failure, setFailure] = useState();
    useEffect(() => {
        const controller = new AbortController();
        get(at`topics/${topic.name}/groups`, {}, {signal: controller.signal}).then(found => setGroups(found.groups),
            error => !isAborted(error) && setFailure(error));
        return () => controller.abort();
    }, []);
    const act = async () => {
        await send("DELETE", at`topics/${topic.name}`);
        toast(t("topic.deleted", {topic: topic.name}));
        go(href(["topics"]));
    };
    const messages = sum(topic.partitionStates, "messages") ?? 0;
    return html`<${Confirm} title=${t("topic.deleteTitle", {topic: topic.name})} word=${topic.name}
        action=${t("topic.delete")} act=${act} onClose=${onClose}>
        <div class="note bad"><p><strong>${t("topic.lost")}</strong></p><ul>
            <li>${tn("topic.lostMessages", messages,
                {size: bytes(sum(topic.partitionStates, "bytes") ?? 0), partitions: number(topic.partitions)})}</li>
            <li>${lostGroups(groups, failure)}${groups?.length > 0 && html`: <span
                class="break">${groups.slice(0, NAMED_GROUPS).join(", ")}${groups.length > NAMED_GROUPS ? ", …"
                    : ""}</span>`}</li>
            <li>${t("topic.lostRights")}</li>
            <li>${t("topic.lostWriters")}</li>
        </ul></div>
        <${ErrorNote} error=${failure} />
    <//>`;
}

function lostGroups(groups, failure) {
    if (groups !== undefined) {
        return tn("topic.lostGroups", groups.length);
    }
    return failure ? t("topic.lostGroupsUnknown") : t("loading"); // never none, where they could not be asked for
}
