// SPDX-License-Identifier: Apache-2.0
/** Conditions of a search, all of which hold: fields for each, and the text that the address and REST have. */
import {t} from "../i18n.js";
import {html, useLayoutEffect, useRef, useState} from "../lib.js";
import {SelectField, TextField} from "../parts/form.js";

const MOST = 16; // that REST takes
const NOT = "not ";
const EMPTY = {field: "value", is: "contains", name: "", text: "", not: false};

/** The conditions of a text of the address; none of one that is not a list, which the server refuses. */
export function conditionsOf(where) {
    try {
        const list = JSON.parse(where || "[]");
        return Array.isArray(list) ? list.filter(each => typeof each?.field === "string").slice(0, MOST) : [];
    } catch (notJson) {
        return [];
    }
}

function isNamed({field}) {
    return field === "header" || field === "json";
}

/** The text of the conditions that are complete: those that somebody still types filter nothing. */
function written(conditions) {
    const complete = conditions.filter(each => (!isNamed(each) || each.name) && (each.is === "exists" || each.text));
    return complete.length === 0 ? "" : JSON.stringify(complete.map(each => ({
        field: each.field,
        ...(isNamed(each) ? {name: each.name} : {}),
        is: each.is,
        ...(each.is === "exists" ? {} : {text: each.text}),
        ...(each.not ? {not: true} : {}),
    })));
}

/** @param where the conditions of the address; onChange gets others */
export function Conditions({where, onChange}) {
    const [conditions, setConditions] = useState(() => conditionsOf(where));
    const last = useRef(where);
    useLayoutEffect(() => { // before another key is typed: later, it would undo that
        if (where !== last.current) {
            last.current = where;
            setConditions(conditionsOf(where));
        }
    }, [where]);
    const set = next => {
        setConditions(next);
        last.current = written(next);
        onChange(last.current);
    };
    const edit = (index, values) =>
        set(conditions.map((each, other) => other === index ? {...each, ...values} : each));
    return html`${conditions.map((each, index) => html`<${Condition} key=${index} condition=${each} index=${index}
            onChange=${values => edit(index, values)}
            onRemove=${() => set(conditions.filter((other, at) => at !== index))} />`)}
        ${conditions.length < MOST && html`<div><button type="button"
            onClick=${() => set([...conditions, EMPTY])}>${t("conditions.add")}</button></div>`}`;
}

function Condition({condition, index, onChange, onRemove}) {
    const number = index + 1;
    const tests = [["contains", t("test.contains")], [`${NOT}contains`, t("test.notContains")],
        ["equals", t("test.equals")], [`${NOT}equals`, t("test.notEquals")],
        ["matches", t("test.matches")], [`${NOT}matches`, t("test.notMatches")],
        ["exists", t("test.exists")], [`${NOT}exists`, t("test.notExists")]];
    const choose = test => onChange({is: test.replace(NOT, ""), not: test.startsWith(NOT)});
    return html`<fieldset><legend>${t("conditions.number", {number})}</legend>
        <div class="fields">
            <${SelectField} label=${t("conditions.field")} name=${`field${index}`} value=${condition.field}
                onChange=${field => onChange({field})}
                options=${[["value", t("value")], ["key", t("key")], ["header", t("filter.header")],
                    ["json", t("filter.path")]]} />
            ${isNamed(condition) && html`<${TextField} name=${`name${index}`} value=${condition.name ?? ""}
                label=${condition.field === "json" ? t("filter.path") : t("filter.header")}
                onChange=${name => onChange({name})} />`}
            <${SelectField} label=${t("conditions.test")} name=${`test${index}`} onChange=${choose}
                value=${(condition.not ? NOT : "") + condition.is} options=${tests} />
            ${condition.is !== "exists" && html`<${TextField} label=${t("filter.text")} name=${`text${index}`}
                value=${condition.text ?? ""} onChange=${text => onChange({text})} />`}
        </div>
        <button type="button" class="plain" onClick=${onRemove}>${t("conditions.remove", {number})}</button>
    </fieldset>`;
}
