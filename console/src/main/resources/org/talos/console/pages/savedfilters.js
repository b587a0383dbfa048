// SPDX-License-Identifier: Apache-2.0
/** Filters that the reader has saved by name in this browser, for each topic. */
import {t} from "../i18n.js";
import {html, useState} from "../lib.js";
import {SelectField, TextField} from "../parts/form.js";
import {choose, setting} from "../settings.js";
import {FILTERS} from "./range.js";

const MOST = 50;

/** The saved filters, each as its name and its values by the names of the address. */
function saved(topic) {
    try {
        const list = JSON.parse(setting(`filters.${topic}`, "[]"));
        return Array.isArray(list) ? list.filter(each => Array.isArray(each) && each[1] instanceof Object) : [];
    } catch (notJson) {
        return [];
    }
}

/**
 * @param range what the fields have now
 * @param onChoose gets the values of all filters
 */
export function SavedFilters({topic, range, onChoose}) {
    const [filters, setFilters] = useState(() => saved(topic));
    const [chosen, setChosen] = useState("");
    const [name, setName] = useState("");
    const others = without => filters.filter(([each]) => each !== without);
    const store = next => {
        choose(`filters.${topic}`, JSON.stringify(next));
        setFilters(next);
    };
    const values = Object.fromEntries(FILTERS.map(each => [each, range[each] ?? ""]));
    const canSave = name.trim() !== "" && FILTERS.some(each => values[each] !== "");
    const save = () => {
        if (canSave) {
            store([...others(name.trim()), [name.trim(), values]].slice(-MOST));
            setChosen(name.trim());
            setName("");
        }
    };
    const use = wanted => {
        setChosen(wanted);
        const found = filters.find(([each]) => each === wanted);
        if (found) {
            onChoose(Object.fromEntries(FILTERS.map(each => [each, found[1][each] ?? ""])));
        }
    };
    const remove = () => {
        store(others(chosen));
        setChosen("");
    };
    const pressed = event => {
        if (event.key === "Enter") {
            event.preventDefault(); // it would search
            save();
        }
    };
    return html`<div class="fields">
        ${filters.length > 0 && html`<div class="stack"><${SelectField} label=${t("saved.filters")} name="saved"
                value=${chosen} onChange=${use}
                options=${[["", t("saved.choose")], ...filters.map(([each]) => [each, each])]} />
            ${chosen !== "" && html`<div><button type="button" class="plain"
                onClick=${remove}>${t("saved.delete")}</button></div>`}</div>`}
        <div class="stack"><${TextField} label=${t("saved.name")} name="filterName" value=${name} onChange=${setName}
                maxlength="80" onKeyDown=${pressed} />
            <div><button type="button" disabled=${!canSave} onClick=${save}>${t("saved.save")}</button></div></div>
    </div>`;
}
