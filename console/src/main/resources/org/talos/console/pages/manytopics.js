// SPDX-License-Identifier: Apache-2.0
/** Changes of several topics, one after another; each has its result. */
import {at, send} from "../api.js";
import {t, tn} from "../i18n.js";
import {html, useState} from "../lib.js";
import {Dialog, DialogButtons} from "../parts/dialog.js";
import {explain} from "../parts/error.js";
import {TextField} from "../parts/form.js";
import {toast} from "../parts/toast.js";
import {useAction} from "../poll.js";
import {RetentionField} from "./newtopic.js";

const DAY_SECONDS = 86_400;

/** Deletes topics, once their number is typed. */
export function DeleteTopics({topics, onClose}) {
    const [typed, setTyped] = useState("");
    const word = String(topics.length);
    return html`<${Many} topics=${topics} title=${tn("topics.deleteTitle", topics.length)} action=${t("delete")} bad
        ready=${typed === word} change=${name => send("DELETE", at`topics/${name}`)} onClose=${onClose}>
        <div class="note bad"><p>${t("topics.deleteText")}</p></div>
        <${TextField} label=${t("confirm.type", {word})} name="count" value=${typed} onChange=${setTyped} autofocus />
    <//>`;
}

/** Gives topics another retention. */
export function RetainTopics({topics, onClose}) {
    const [seconds, setSeconds] = useState(DAY_SECONDS);
    return html`<${Many} topics=${topics} title=${tn("topics.retainTitle", topics.length)} action=${t("save")}
        ready=${!Number.isNaN(seconds)} onClose=${onClose}
        change=${name => send("PATCH", at`topics/${name}`, {retentionSeconds: seconds})}>
        <div class="note warn"><p>${t("topic.shortenText")}</p></div>
        <div class="fields"><${RetentionField} seconds=${DAY_SECONDS} onChange=${setSeconds} /></div>
    <//>`;
}

/** Pressed again, it repeats what has failed. */
function Many({topics, title, action, bad, ready, change, onClose, children}) {
    const [results, setResults] = useState({}); // by topic: true once it is done, or the failure
    const doing = useAction(async () => {
        const all = {...results};
        for (const topic of topics.filter(each => all[each] !== true)) {
            try {
                await change(topic);
                all[topic] = true;
            } catch (error) {
                all[topic] = error;
            }
            setResults({...all});
        }
        return topics.every(each => all[each] === true);
    });
    const submit = async () => {
        if (ready && await doing.run()) {
            toast(tn("topics.manyDone", topics.length));
            onClose();
        }
    };
    return html`<${Dialog} wide title=${title} onClose=${onClose} onSubmit=${submit}>
        ${children}
        <ul aria-live="polite">${topics.map(each => html`<li key=${each}><span class="break">${each}</span>${
            results[each] !== undefined && html`: ${results[each] === true ? t("topics.resultDone")
                : explain(results[each])}`}</li>`)}</ul>
        <${DialogButtons} onClose=${onClose} action=${action} bad=${bad} busy=${doing.busy} disabled=${!ready}
            done=${Object.keys(results).length > 0} />
    <//>`;
}
