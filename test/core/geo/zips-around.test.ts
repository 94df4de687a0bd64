import assert from 'node:assert/strict';
import { zipsOfCity } from '../../../core/geo/city-zips.ts';
import { readPlace } from '../../../core/geo/read-place.ts';
import { centroidOf, zipCentroids } from '../../../core/geo/zip-centroids.ts';
import { isSomewhere, zipsAround, zipsAroundOnce } from '../../../core/geo/zips-around.ts';
import { countryCode, spellingsOf } from '../../../domain/people/countries.ts';

interface Point {
  latitude: number;
  longitude: number;
}

/** Along a great circle, by another way than what is tested takes. */
function milesBetween(one: Point, other: Point): number {
  const radians = Math.PI / 180;
  const half = (a: number, b: number) => Math.sin(((a - b) * radians) / 2) ** 2;
  const chord =
    half(one.latitude, other.latitude) +
    Math.cos(one.latitude * radians) * Math.cos(other.latitude * radians) * half(one.longitude, other.longitude);
  return 2 * 3958.8 * Math.asin(Math.sqrt(Math.min(1, chord)));
}

describe('zips around places', () => {
  it('are those of the city itself without a radius', () => {
    assert.deepEqual(zipsAround(['ALBANY, ny'], null), zipsOfCity('Albany, NY'));
    assert.ok(zipsOfCity('Albany, NY').includes('12207'));
    assert.deepEqual(zipsAround(['Nowhere, NY', '00000'], null), []);
  });

  it('are all those, and only those, whose centre is near enough', () => {
    const [albany, schenectady, newYork] = ['12207', '12305', '10001'].map((zip) => centroidOf(zip)!);
    assert.ok(milesBetween(albany!, schenectady!) > 10 && milesBetween(albany!, schenectady!) < 20);
    assert.ok(milesBetween(albany!, newYork!) > 125 && milesBetween(albany!, newYork!) < 145);
    const near = new Set(zipsAround(['12207'], 20));
    for (const [zip, expected] of [
      ['12207', true],
      ['12305', true],
      ['10001', false],
    ] as const)
      assert.equal(near.has(zip), expected, zip);
    for (const zip of near) assert.ok(milesBetween(albany!, centroidOf(zip)!) <= 20, zip);
    assert.ok(zipsAround(['12207'], 150).includes('10001'));
  });

  it('begin at each zip of a prefix, a range or a city', () => {
    for (const place of ['1220*', '12200-12210', 'Albany, NY']) {
      const around = zipsAround([place], 20);
      assert.ok(around.includes('12305') && !around.includes('10001'), place);
    }
  });

  it('does not hold the process up, for the whole country, for half of it, or for a hundred thousand places', () => {
    zipsAround(['12207'], 1);
    const numbers = Array.from({ length: 100_000 }, (_, number) => String(number).padStart(5, '0'));
    for (const [places, miles] of [
      [['00000-99999'], 500],
      [['00000-49999'], 500],
      [['99*'], 500],
      [numbers, 100],
      [numbers.filter((_, index) => index % 3 === 0).map((zip) => `${zip}-${zip}`), 0.1],
    ] as const) {
      const began = process.threadCpuUsage();
      assert.ok(zipsAround(places, miles).length > 200);
      for (const place of places) isSomewhere(place);
      const { user, system } = process.threadCpuUsage(began);
      assert.ok(user + system < 2_000_000, `${places[0]}: ${user + system} µs`);
    }
  });

  it('are looked for once in one question', () => {
    const around = zipsAroundOnce();
    const near = around(['12207', 'Albany, NY'], 20);
    assert.equal(around(['12207', 'Albany, NY'], 20), near);
    assert.deepEqual(near, zipsAround(['12207', 'Albany, NY'], 20));
    for (const [places, miles] of [
      [['12207', 'Albany, NY'], null],
      [['12207'], 20],
    ] as const)
      assert.deepEqual(around(places, miles), zipsAround(places, miles));
  });

  it('are those of a city however its name is written', () => {
    for (const [written, zip] of Object.entries({
      'St. Paul, MN': '55101',
      'Ft. Worth, TX': '76102',
      'Mt. Vernon, NY': '10550',
      'Sault Ste. Marie, MI': '49783',
      'Winston-Salem, NC': '27101',
      "O'Fallon, MO": '63366',
      'Lee’s Summit, MO': '64063',
      'Saint John, VI': '00830',
    }))
      assert.ok(zipsAround([written], null).includes(zip), written);
    assert.ok(zipsOfCity('Mount Zion, IL').length > 0 && !isSomewhere('St. Nowhere, MO'));
    assert.equal(readPlace('Washington, D.C.'), 'Washington, DC');
  });

  it('lie west of Greenwich, but for those beyond the date line', () => {
    const beyond = new Set(['AK', 'HI', 'GU', 'MP', 'PW', 'FM', 'MH']);
    const east = zipCentroids().filter(({ zip, longitude }) => longitude > 0 && !beyond.has(centroidOf(zip)!.state));
    assert.deepEqual(east, []);
  });

  it('knows where there is nothing', () => {
    for (const [place, somewhere] of [
      ['12207', true],
      ['122*', true],
      ['Albany, NY', true],
      ['00000', false],
      ['Oz, KS', false],
    ] as const) {
      assert.equal(isSomewhere(place), somewhere, place);
    }
  });
});

describe('codes of countries', () => {
  it('are those of today, whichever way the country is named', () => {
    const named = {
      France: 'FR',
      'united kingdom': 'GB',
      Russia: 'RU',
      Serbia: 'RS',
      Benin: 'BJ',
      'Burkina Faso': 'BF',
      'Timor-Leste': 'TL',
    };
    for (const [name, code] of Object.entries(named)) {
      assert.equal(countryCode(name), code);
      assert.equal(countryCode(code), code);
    }
    for (const [former, code] of Object.entries({ UK: 'GB', uk: 'GB', FX: 'FR', SU: 'RU', DD: 'DE' }))
      assert.equal(countryCode(former), code);
    for (const [name, code] of Object.entries({
      'Bosnia and Herzegovina': 'BA',
      'Czech Republic': 'CZ',
      'Hong Kong': 'HK',
      'Ivory Coast': 'CI',
      Macau: 'MO',
      Macedonia: 'MK',
      Palestine: 'PS',
      'Russian Federation': 'RU',
      'saint kitts and nevis': 'KN',
      'Saint Vincent and the Grenadines': 'VC',
      'Sao Tome and Principe': 'ST',
      TURKEY: 'TR',
      'US Virgin Islands': 'VI',
      'The  Gambia': 'GM',
    }))
      assert.equal(countryCode(name), code, name);
    for (const nowhere of ['', 'Atlantis', 'QQ', 'und']) assert.equal(countryCode(nowhere), '');
    assert.deepEqual(spellingsOf('Atlantis'), []);
    for (const name of ['DE', 'Germany', 'germany']) assert.deepEqual(new Set(spellingsOf(name)), new Set(['de', 'dd', 'germany']), name);
    for (const name of ['usa', 'United States', 'Côte d’Ivoire', "Côte d'Ivoire", "cote d'ivoire", 'ivory coast', 'Saint Lucia'])
      assert.ok(['US', 'CI', 'LC'].flatMap(spellingsOf).includes(name.toLowerCase()), name);
  });
});
