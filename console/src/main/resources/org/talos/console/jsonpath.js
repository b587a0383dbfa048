// SPDX-License-Identifier: Apache-2.0
/** Places in a text that is JSON, such as $.order.items[0].sku: names, numbers, and * for any, as a search has them. */
import {partsOf} from "./jsontext.js";

const STEP = /\.(?:\*|([^.[\]()=!<>'"* \t]+))|\[(?:\*|'([^']*)'|"([^"]*)"|(\d{1,9}))\]/y;
const MOST_STEPS = 32;
const MOST_PLACES = 1000; // at one depth

/** The steps of a path, each with a name, an index, or neither for any; or wrong, the character from which it is. */
export function parsePath(text) {
    const steps = [];
    let at = 1;
    while (text[0] === "$" && at < text.length && steps.length < MOST_STEPS) {
        STEP.lastIndex = at;
        const found = STEP.exec(text);
        if (!found) {
            return {wrong: at + 1};
        }
        steps.push({name: found[1] ?? found[2] ?? found[3], index: found[4] && Number(found[4])});
        at = STEP.lastIndex;
    }
    return text[0] !== "$" ? {wrong: 1} : at < text.length ? {wrong: at + 1} : {steps};
}

/** The texts of the values that are at these steps. */
export function valuesAt(json, steps) {
    return steps.reduce((found, step) => found.flatMap(each => inside(each, step)).slice(0, MOST_PLACES),
        [json.trim()]);
}

function inside(text, {name, index}) {
    const fits = text[0] === "{" ? index === undefined : text[0] === "[" && name === undefined;
    return fits ? partsOf(text).filter((part, at) => (name === undefined || JSON.parse(part.name) === name)
        && (index === undefined || at === index)).map(part => part.text) : [];
}
