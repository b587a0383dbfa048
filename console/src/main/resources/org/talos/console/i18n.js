// SPDX-License-Identifier: Apache-2.0
/** The console's texts. One file for each language, all with the same keys. */
import {setting} from "./settings.js";

/** Languages by their tag, each with its own name for itself. */
export const LANGUAGES = {en: "English", de: "Deutsch", zh: "中文"};

let texts = {};
let language = "en";
let plurals = new Intl.PluralRules("en");

/** The language that the reader has chosen, else the first of the browser's that there is, else English. */
export function preferredLanguage() {
    const wanted = [setting("language", ""), ...navigator.languages].map(each => each.slice(0, 2).toLowerCase());
    return wanted.find(each => Object.hasOwn(LANGUAGES, each)) ?? "en";
}

/** Loads a language; from then on {@link t} speaks it. */
export async function speak(tag) {
    texts = (await import(`./i18n/${tag}.js`)).default;
    language = tag;
    plurals = new Intl.PluralRules(tag);
    document.documentElement.lang = tag;
}

/** The tag of the language that is spoken. */
export function spoken() {
    return language;
}

/** A text by its key, with each {name} replaced by the parameter of that name. */
export function t(key, parameters) {
    const text = texts[key];
    if (text === undefined) {
        console.error(`There is no text ${key} in ${language}.`);
        return key;
    }
    return parameters ? text.replace(/\{(\w+)\}/g, (all, name) => parameters[name] ?? all) : text;
}

/** A text that depends on a number: of key.one and key.other the one that the language takes. {n} is the number. */
export function tn(key, n, parameters) {
    const form = plurals.select(n) === "one" ? "one" : "other";
    return t(`${key}.${form}`, {n: new Intl.NumberFormat(language).format(n), ...parameters});
}
