// SPDX-License-Identifier: Apache-2.0
/** The dialog that makes a topic. */
import {send} from "../api.js";
import {t} from "../i18n.js";
import {html, useState} from "../lib.js";
import {Dialog, DialogButtons} from "../parts/dialog.js";
import {ErrorNote} from "../parts/error.js";
import {SelectField, TextField, whole} from "../parts/form.js";
import {toast} from "../parts/toast.js";
import {useAction} from "../poll.js";
import {go, href} from "../route.js";

const NAME = /^(?!_)(?!-)(?!.*_$)[a-zA-Z0-9_-]{1,80}$/;
const MOST_PARTITIONS = 256;

/** Seconds of each unit that a retention is given in. */
export const UNITS = {hours: 3600, days: 86400};
const LEAST_SECONDS = UNITS.hours;
const MOST_SECONDS = 365 * UNITS.days;

/** A length of time as a number and its unit. onChange gets seconds, or NaN of what is no retention. */
export function RetentionField({seconds, onChange}) {
    const [unit, setUnit] = useState(seconds % UNITS.days === 0 ? "days" : "hours");
    const [amount, setAmount] = useState(String(seconds / UNITS[unit]));
    const set = (text, of) => {
        setAmount(text);
        setUnit(of);
        onChange(secondsOf(text, of));
    };
    return html`<${TextField} label=${t("retention")} name="retention" hint=${t("retention.hint")} value=${amount}
            inputmode="decimal"
            wrong=${Number.isNaN(secondsOf(amount, unit)) && t("wrong.retention")}
            onChange=${text => set(text, unit)} />
        <${SelectField} label=${t("retention.unit")} value=${unit} onChange=${of => set(amount, of)}
            options=${[["hours", t("unit.hoursLong")], ["days", t("unit.daysLong")]]} />`;
}

function secondsOf(text, unit) {
    const number = Math.round(Number(text) * UNITS[unit]);
    return number >= LEAST_SECONDS && number <= MOST_SECONDS ? number : NaN;
}

export function NewTopic({onClose}) {
    const [name, setName] = useState("");
    const [partitions, setPartitions] = useState("8");
    const [seconds, setSeconds] = useState(UNITS.days);
    const [partitioner, setPartitioner] = useState("murmur2");
    const count = whole(partitions);
    const wrongName = name !== "" && !NAME.test(name);
    const wrongCount = !(count >= 1 && count <= MOST_PARTITIONS);
    const making = useAction(() => send("POST", "topics", {name, partitions: count, retentionSeconds: seconds,
        attributes: {"talos.partitioner": partitioner}}));
    const submit = async () => {
        if (await making.run()) {
            toast(t("topics.made", {topic: name}));
            go(href(["topics", name]));
        }
    };
    return html`<${Dialog} title=${t("topics.new")} onClose=${onClose} onSubmit=${submit}>
        <${TextField} label=${t("name")} name="topic" hint=${!wrongName && t("topics.nameRule")}
            wrong=${wrongName && t("topics.nameRule")} value=${name}
            onChange=${setName} autofocus maxlength="80" />
        <div class="fields">
            <${TextField} label=${t("partitions")} name="partitions" hint=${t("topics.partitionsHint")}
                wrong=${wrongCount && t("wrong.partitions")}
                value=${partitions} onChange=${setPartitions} inputmode="numeric" />
            <${RetentionField} seconds=${seconds} onChange=${setSeconds} />
        </div>
        <${SelectField} label=${t("partitioner")} hint=${t("partitioner.hint")} value=${partitioner}
            onChange=${setPartitioner}
            options=${[["murmur2", t("partitioner.murmur2")], ["sdk", t("partitioner.sdk")]]} />
        <${ErrorNote} error=${making.error} />
        <${DialogButtons} onClose=${onClose} action=${t("create")} busy=${making.busy}
            disabled=${name === "" || wrongName || wrongCount || Number.isNaN(seconds)} />
    <//>`;
}
