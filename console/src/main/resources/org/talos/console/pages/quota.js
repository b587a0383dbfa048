// SPDX-License-Identifier: Apache-2.0
/** Quotas: how much of each is used, and the dialog that sets them. */
import {send} from "../api.js";
import {byteRate, bytes, number, rate} from "../format.js";
import {t} from "../i18n.js";
import {html, useState} from "../lib.js";
import {Dialog, DialogButtons} from "../parts/dialog.js";
import {ErrorNote} from "../parts/error.js";
import {TextField, whole} from "../parts/form.js";
import {toast} from "../parts/toast.js";
import {useAction} from "../poll.js";

const FULL = 0.9;

/** What a quota bounds: its member, its member for what is used, its name, how its values are said. */
const BOUNDS = [
    {id: "space", used: "usedSpace", title: () => t("quota.space"), say: bytes},
    {id: "topics", used: "usedTopics", title: () => t("quota.topics"), say: number},
    {id: "putsPerSecond", used: "usedPutsPerSecond", title: () => t("quota.puts"), say: rate},
    {id: "getsPerSecond", used: "usedGetsPerSecond", title: () => t("quota.gets"), say: rate},
    {id: "putBytesPerSecond", used: "usedPutBytesPerSecond", title: () => t("quota.putBytes"), say: byteRate},
    {id: "getBytesPerSecond", used: "usedGetBytesPerSecond", title: () => t("quota.getBytes"), say: byteRate},
];

/** Whether a quota bounds anything. */
export function hasBound(quota) {
    return BOUNDS.some(each => quota[each.id] !== undefined);
}

/** Each bound with what is used of it. */
export function QuotaList({quota}) {
    const shown = BOUNDS.filter(each => quota[each.used] !== undefined);
    return html`<dl class="quotas">${shown.map(each => {
        const bound = quota[each.id];
        const used = quota[each.used];
        const text = bound === undefined ? t("quota.unbound", {used: each.say(used)})
            : t("quota.used", {used: each.say(used), bound: each.say(bound)});
        return html`<div key=${each.id}><dt>${each.title()}</dt><dd class="numbers">${text}
            ${bound !== undefined && html`<progress class=${used > FULL * bound ? "full" : ""} max=${bound}
                value=${Math.min(used, bound)} aria-label=${`${each.title()}: ${text}`}></progress>`}</dd></div>`;
    })}
    ${!hasBound(quota) && html`<div><dt>${t("quota")}</dt><dd>${t("quota.none")}</dd></div>`}</dl>`;
}

/** @param path of REST at which the quota is put; withTopics if it is a user's */
export function QuotaDialog({title, path, quota, withTopics, refresh, onClose}) {
    const bounds = BOUNDS.filter(each => withTopics || each.id !== "topics");
    const [values, setValues] = useState(Object.fromEntries(bounds.map(each =>
        [each.id, String(quota[each.id] ?? "")])));
    const numbers = Object.fromEntries(bounds.map(each => [each.id, whole(values[each.id])]));
    const wrong = id => numbers[id] !== undefined && !(numbers[id] >= 1);
    const setting = useAction(async () => {
        await send("PUT", path, numbers);
        return true;
    });
    const submit = async () => {
        if (await setting.run()) {
            toast(t("quota.saved"));
            refresh();
            onClose();
        }
    };
    return html`<${Dialog} title=${title} onClose=${onClose} onSubmit=${submit}>
        <p>${t("quota.text")}</p>
        <div class="fields">${bounds.map(each =>
            html`<${TextField} key=${each.id} name=${each.id} label=${each.title()} inputmode="numeric"
            hint=${numbers[each.id] >= 1 ? each.say(numbers[each.id]) : t("quota.noBound")}
                wrong=${wrong(each.id) && t("wrong.number")}
            value=${values[each.id]} onChange=${text => setValues(before => ({...before, [each.id]: text}))} />`)}</div>
        <${ErrorNote} error=${setting.error} />
        <${DialogButtons} onClose=${onClose} action=${t("save")} busy=${setting.busy}
            disabled=${!hasBound(numbers) || bounds.some(each => wrong(each.id))} />
    <//>`;
}
