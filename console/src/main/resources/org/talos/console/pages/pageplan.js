// SPDX-License-Identifier: Apache-2.0
/**
 * What a page of messages asks the server for. The newest are those of all partitions by time. A search forward takes
 * one partition after another: so that a page of several has some of each, where it begins and ends is said for each.
 */
import {at, get} from "../api.js";
import {backwardQuery, complete, isBackward, isFiltered, searchQuery, startOf} from "./range.js";

const NUMBER = /^\d+$/;

/** @return a promise of the search's query, and of next: where the page behind begins, or undefined if there is none */
export async function pagePlan(topic, typed, limit, signal) {
    const range = complete(typed);
    if (isBackward(range)) {
        return {query: backwardQuery(range, limit)};
    }
    const start = startOf(range.from);
    const isPlace = start === "offset" && !NUMBER.test(range.from); // one that the server alone knows, or refuses
    if (range.p !== "" || topic.partitions === 1 || isFiltered(range) || isPlace) {
        return {query: searchQuery(range, limit, topic.partitions)};
    }
    const open = (await begins(topic, range.from, start, signal)).filter(each => each.offset < each.end);
    const each = Math.ceil(limit / Math.max(1, open.length));
    const ends = open.map(({partition, offset, end}) => ({partition, offset: Math.min(offset + each, end), end}));
    const left = ends.filter(({offset, end}) => offset < end);
    if (open.length === 0 || range.to !== "") { // an end that is asked for cannot be said for each as well
        return {query: searchQuery(range, limit, topic.partitions)};
    }
    return {
        query: {from: written(open), to: written(ends), limit: each * open.length},
        next: left.length === 0 ? undefined : written(left),
    };
}

/** Where each partition continues and ends, of those that the page is of. */
async function begins(topic, from, start, signal) {
    const path = at`topics/${topic.name}/offsets`;
    const [bounds, times] = await Promise.all([get(path, {}, {signal}),
        start === "time" ? get(path, {time: from}, {signal}) : {partitions: []}]);
    const positions = new Map(start === "positions" ? from.split(",").map(each => each.split(":").map(Number)) : []);
    const offsets = new Map(times.partitions.map(each => [each.partition, each.offset]));
    const wanted = bounds.partitions.filter(each => each.start !== undefined
        && (start !== "positions" || positions.has(each.partition)));
    return wanted.map(({partition, start: first, end}) => {
        const asked = {earliest: first, offset: Number(from), time: offsets.get(partition),
            positions: positions.get(partition)}[start];
        return {partition, end, offset: Math.max(first, asked)};
    });
}

function written(places) {
    return places.map(({partition, offset}) => `${partition}:${offset}`).join(",");
}
