// SPDX-License-Identifier: Apache-2.0
/** The columns of a list of messages beside its first: in the address, and kept in the browser for each topic. */
import {parsePath} from "../jsonpath.js";
import {t} from "../i18n.js";
import {html, useEffect, useMemo, useState} from "../lib.js";
import {Dialog, DialogButtons} from "../parts/dialog.js";
import {AreaField, CheckField} from "../parts/form.js";
import {change, useRoute} from "../route.js";
import {choose, setting} from "../settings.js";

const HEADER = "h:";
const MOST = 20;
const USUAL = ["time", "key", "value", "size"];

/** The columns that every message has, in the order of the dialog, with their titles. */
export const TITLES = {time: () => t("time"), key: () => t("key"), tag: () => t("tag"), value: () => t("value"),
    size: () => t("size")};

/** The name of the header that a column shows, or undefined. */
export function headerOf(column) {
    return column.startsWith(HEADER) ? column.slice(HEADER.length) : undefined;
}

/** Whether a column is a field of messages that are JSON; in an address it may be wrong, which is said. */
export function isPath(column) {
    return !Object.hasOwn(TITLES, column) && headerOf(column) === undefined;
}

function written(columns) {
    return columns.join() === USUAL.join() ? ""
        : columns.map(each => each.replace(/[%,]/g, encodeURIComponent)).join(",");
}

function read(text) {
    const columns = text.split(",").map(each => each.replace(/%2C/g, ",").replace(/%25/g, "%"));
    const named = [...new Set(columns)].filter(each => each !== "" && each !== HEADER);
    return named.length > 0 ? named.slice(0, MOST) : USUAL;
}

/** The columns of a topic: of the address, or as they were last chosen in this browser; these get into the address. */
export function useColumns(topic) {
    const {query} = useRoute();
    const text = query.cols ?? setting(`columns.${topic}`, "");
    useEffect(() => {
        if (query.cols === undefined && text !== "") {
            change({cols: text});
        }
    }, [topic, query.cols]);
    return useMemo(() => read(text), [text]);
}

/** Says which columns are wrong. */
export function WrongColumns({columns}) {
    return columns.filter(each => isPath(each) && parsePath(each).wrong).map(path =>
        html`<p class="note warn" key=${path}>${wrongPath(path)}</p>`);
}

function wrongPath(path) {
    const {wrong} = parsePath(path);
    return wrong && t("columns.wrong", {path, at: wrong});
}

function lines(text) {
    return text.split("\n").map(each => each.trim()).filter(each => each !== "");
}

export function ColumnsDialog({topic, columns, onClose}) {
    const [usual, setUsual] = useState(columns.filter(each => Object.hasOwn(TITLES, each)));
    const [headers, setHeaders] = useState(columns.map(headerOf).filter(each => each).join("\n"));
    const [paths, setPaths] = useState(columns.filter(isPath).join("\n"));
    const wrong = lines(paths).map(wrongPath).find(each => each);
    const show = chosen => {
        const text = written(chosen.slice(0, MOST));
        choose(`columns.${topic.name}`, text);
        change({cols: text});
        onClose();
    };
    const submit = () => {
        if (!wrong) {
            const own = [...lines(headers).map(each => HEADER + each), ...lines(paths)];
            const names = Object.keys(TITLES).filter(each => usual.includes(each));
            const before = names.filter(each => each !== "value" && each !== "size");
            show([...before, ...own, ...names.filter(each => !before.includes(each))]);
        }
    };
    const tick = (name, on) => setUsual(before => on ? [...before, name] : before.filter(each => each !== name));
    return html`<${Dialog} title=${t("columns.title")} onClose=${onClose} onSubmit=${submit}>
        <fieldset><legend>${t("columns")}</legend>${Object.entries(TITLES).map(([name, title]) =>
            html`<${CheckField} key=${name} label=${title()} name=${name} checked=${usual.includes(name)}
                onChange=${on => tick(name, on)} />`)}</fieldset>
        <${AreaField} label=${t("headers")} name="headers" hint=${t("columns.headersHint")} rows="2" value=${headers}
            onChange=${setHeaders} />
        <${AreaField} label=${t("columns.paths")} name="paths" hint=${t("columns.pathsHint")} rows="3" value=${paths}
            wrong=${wrong} onChange=${setPaths} />
        <div><button type="button" onClick=${() => show(USUAL)}>${t("columns.usual")}</button></div>
        <${DialogButtons} onClose=${onClose} action=${t("show")} disabled=${Boolean(wrong)} />
    <//>`;
}
