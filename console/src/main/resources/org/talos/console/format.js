// SPDX-License-Identifier: Apache-2.0
/** Numbers, sizes, durations and times as people read them, in the language of the console. */
import {spoken, t} from "./i18n.js";
import {setting} from "./settings.js";

const SIZES = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
const ROUNDED_UP = 1023.5; // what would be shown as 1,024 of a unit is one of the next
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const formats = new Map();

/** What stands where nothing is known. */
export const NONE = "–";

function numberFormat(options) {
    const key = spoken() + JSON.stringify(options);
    if (!formats.has(key)) {
        formats.set(key, new Intl.NumberFormat(spoken(), options));
    }
    return formats.get(key);
}

function known(value) {
    return value !== null && value !== undefined && !Number.isNaN(value);
}

/** A number with as many digits as say something: 12,345 or 1.25. */
export function number(value) {
    if (!known(value)) {
        return NONE;
    }
    const digits = Math.abs(value) >= 100 || Number.isInteger(value) ? 0 : Math.abs(value) >= 10 ? 1 : 2;
    return numberFormat({maximumFractionDigits: digits}).format(value);
}

/** A number for an axis: 12K, 3.4M. */
export function short(value) {
    return known(value) ? numberFormat({notation: "compact", maximumFractionDigits: 1}).format(value) : NONE;
}

/** Bytes: 1.2 MiB. */
export function bytes(value) {
    if (!known(value)) {
        return NONE;
    }
    let size = value;
    let unit = 0;
    while (Math.abs(size) >= ROUNDED_UP && unit < SIZES.length - 1) {
        size /= 1024;
        unit++;
    }
    const digits = unit === 0 || size >= 100 ? 0 : 1;
    return `${numberFormat({maximumFractionDigits: digits}).format(size)} ${SIZES[unit]}`;
}

/** A number a second. */
export function rate(value) {
    return known(value) ? `${number(value)}/s` : NONE;
}

/** Bytes a second. */
export function byteRate(value) {
    return known(value) ? `${bytes(value)}/s` : NONE;
}

/** A part of one as percent. */
export function percent(value) {
    return known(value) ? numberFormat({style: "percent", maximumFractionDigits: value < 0.1 ? 1 : 0}).format(value)
        : NONE;
}

/** Milliseconds of something that was measured: 0.42 ms, 1.3 s. */
export function millis(value) {
    if (!known(value)) {
        return NONE;
    }
    return value < SECOND ? `${number(value)} ms` : value < MINUTE ? `${number(value / SECOND)} s` : duration(value);
}

/** A length of time in its two largest units: 3 d 4 h. */
export function duration(value) {
    if (!known(value)) {
        return NONE;
    }
    const left = Math.round(Math.max(0, value) / SECOND) * SECOND;
    const parts = [
        [Math.floor(left / DAY), t("unit.days")],
        [Math.floor((left % DAY) / HOUR), t("unit.hours")],
        [Math.floor((left % HOUR) / MINUTE), t("unit.minutes")],
        [Math.floor((left % MINUTE) / SECOND), t("unit.seconds")],
    ];
    const first = parts.findIndex(([amount]) => amount > 0);
    if (first < 0) {
        return `0 ${t("unit.seconds")}`;
    }
    return parts.slice(first, first + 2).filter(([amount]) => amount > 0)
        .map(([amount, unit]) => `${amount} ${unit}`).join(" ");
}

/** The name of the reader's own zone. */
export function localZone() {
    return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Whether the reader wants times in UTC, and not in their own zone. */
export function wantsUtc() {
    return setting("zone", "local") === "utc";
}

/** The zone of times. */
function zone() {
    return wantsUtc() ? "UTC" : localZone();
}

const TIME = {year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit", second: "2-digit",
    fractionalSecondDigits: 3, hourCycle: "h23"};

/** A moment, given as milliseconds since 1970 or as ISO text: 2026-01-31 12:00:00.000, in the zone that is given. */
export function time(moment, timeZone = zone()) {
    const date = new Date(moment);
    if (!known(moment) || Number.isNaN(date.getTime())) {
        return NONE;
    }
    const key = `time${timeZone}`;
    if (!formats.has(key)) {
        formats.set(key, new Intl.DateTimeFormat("en", {...TIME, timeZone}));
    }
    const part = Object.fromEntries(formats.get(key).formatToParts(date).map(each => [each.type, each.value]));
    return `${part.year}-${part.month}-${part.day} ${part.hour}:${part.minute}:${part.second}.${part.fractionalSecond}`;
}

/** Hours and minutes, for axes and lists of what has just happened. */
export function clock(moment) {
    return time(moment).slice(11, 19);
}

/** How long ago something was: "12 seconds ago". */
export function ago(moment, now = Date.now()) {
    const passed = now - new Date(moment).getTime();
    const [size, unit] = Math.abs(passed) < MINUTE ? [SECOND, "second"]
        : Math.abs(passed) < HOUR ? [MINUTE, "minute"] : Math.abs(passed) < DAY ? [HOUR, "hour"] : [DAY, "day"];
    const key = `ago${spoken()}`;
    if (!formats.has(key)) {
        formats.set(key, new Intl.RelativeTimeFormat(spoken(), {numeric: "auto"}));
    }
    return formats.get(key).format(-Math.round(passed / size), unit);
}

/** Forgets formats, as a language has changed its own. */
export function forgetFormats() {
    formats.clear();
}
