// SPDX-License-Identifier: Apache-2.0
/** The groups of a topic, or one of them. */
import {at, get} from "../api.js";
import {t} from "../i18n.js";
import {html} from "../lib.js";
import {Loaded} from "../parts/error.js";
import {usePoll} from "../poll.js";
import {Group} from "./group.js";
import {GroupTable} from "./grouptable.js";

const REFRESH_MILLIS = 30_000;

export default function TopicGroups({topic, path}) {
    const group = path[3];
    return group === undefined ? html`<${List} topic=${topic.name} />`
        : html`<${Group} key=${group} topic=${topic} group=${group} />`;
}

function List({topic}) {
    const found = usePoll(options => get(at`topics/${topic}/groups`, {}, options), REFRESH_MILLIS, [topic]);
    return html`<${Loaded} from=${found}>${({groups}) =>
        html`<${GroupTable} rows=${groups.map(group => ({topic, group}))} empty=${t("groups.noneOfTopic")} />`}<//>`;
}
