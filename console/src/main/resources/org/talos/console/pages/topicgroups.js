// SPDX-License-Identifier: Apache-2.0
/** The groups of a topic, or one of them. */
import {t} from "../i18n.js";
import {html} from "../lib.js";
import {Loaded} from "../parts/error.js";
import {emptyText, Parts, useList} from "../parts/list.js";
import {useRoute} from "../route.js";
import {Group} from "./group.js";
import {GROUP_SORTS, GroupTable} from "./grouptable.js";

export default function TopicGroups({topic, path}) {
    const group = path[3];
    return group === undefined ? html`<${List} key=${topic.name} topic=${topic.name} />`
        : html`<${Group} key=${group} topic=${topic} group=${group} />`;
}

function List({topic}) {
    const list = useList("groups", GROUP_SORTS, topic);
    const {query: {q: filter = ""}} = useRoute();
    return html`<${Loaded} from=${list}>${({groups}) => html`
        <${GroupTable} rows=${groups}
            empty=${emptyText(list, filter, t("groups.noneOfTopic"), t("groups.noneFiltered"))} />
        <${Parts} from=${list} path=${["topics", topic, "groups"]} />`}<//>`;
}
