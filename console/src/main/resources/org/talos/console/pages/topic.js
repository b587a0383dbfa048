// SPDX-License-Identifier: Apache-2.0
/** A topic: its head, and what of it is open: partitions, messages, groups, rights, settings. */
import {at, get} from "../api.js";
import {t} from "../i18n.js";
import {html, useEffect, useState} from "../lib.js";
import {Loaded, NotLoaded} from "../parts/error.js";
import {usePoll} from "../poll.js";
import {href} from "../route.js";

const REFRESH_MILLIS = 15_000;
const TABS = {
    partitions: {title: () => t("partitions"), load: () => import("./partitions.js")},
    messages: {title: () => t("messages"), load: () => import("./messages.js")},
    groups: {title: () => t("nav.groups"), load: () => import("./topicgroups.js")},
    access: {title: () => t("topic.access"), load: () => import("./access.js")},
    settings: {title: () => t("settings"), load: () => import("./topicsettings.js")},
};

export default function Topic({path, session}) {
    const [, name, tab = "partitions", group] = path;
    const topic = usePoll(options => get(at`topics/${name}`, {}, options), REFRESH_MILLIS, [name]);
    const inGroup = tab === "groups" && group !== undefined;
    return html`<div class="stack">
        <div>
            <nav class="crumbs" aria-label=${t("nav.crumbs")}><ol>
                <li><a href=${href(["topics"])}>${t("nav.topics")}</a></li>
                ${inGroup && html`<li><a href=${href(["topics", name, "groups"])}>${name}</a></li>`}
            </ol></nav>
            <h1 tabindex="-1">${inGroup ? group : name}</h1>
        </div>
        <nav class="tabs" aria-label=${t("topic.tabs")}><ul>${Object.entries(TABS).map(([id, each]) =>
            html`<li key=${id}>
            <a href=${href(id === "partitions" ? ["topics", name] : ["topics", name, id])}
                aria-current=${id === tab ? "page" : undefined}>${each.title()}</a>
        </li>`)}</ul></nav>
        <${Loaded} from=${topic}>${found =>
            html`<${Tab} tab=${tab} path=${path} topic=${found} refresh=${topic.refresh} session=${session} />`}<//>
    </div>`;
}

function Tab({tab, path, topic, refresh, session}) {
    const [loaded, setLoaded] = useState({});
    useEffect(() => {
        let gone = false;
        if (Object.hasOwn(TABS, tab)) {
            TABS[tab].load().then(module => !gone && setLoaded({tab, view: module.default}), error => !gone
                && setLoaded({tab, error}));
        }
        return () => {
            gone = true;
        };
    }, [tab]);
    if (!Object.hasOwn(TABS, tab)) {
        return html`<p>${t("notFound.hint")}</p>`;
    }
    if (loaded.tab !== tab) {
        return html`<p class="spin" role="status">${t("loading")}</p>`;
    }
    return loaded.error ? html`<${NotLoaded} />`
        : html`<${loaded.view} topic=${topic} path=${path} refresh=${refresh} session=${session} />`;
}
