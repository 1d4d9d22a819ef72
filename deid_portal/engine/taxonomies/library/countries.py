"""Countries and areas by region and continent.

Source: United Nations Statistics Division, Standard country or area codes for statistical use
(M49), with the ISO 3166-1 codes it lists; as of 2024. Taiwan, which M49 does not list, stands with
Eastern Asia, Kosovo, which has no ISO code, is left out, and Antarctica is a region of its own.
"""

from collections.abc import Iterator

from deid_portal.engine.taxonomies.library.entry import NamedPlaces

CONTINENTS = {
    "Africa": (
        "Northern Africa",
        "Eastern Africa",
        "Middle Africa",
        "Southern Africa",
        "Western Africa",
    ),
    "Americas": ("Caribbean", "Central America", "South America", "Northern America"),
    "Asia": ("Central Asia", "Eastern Asia", "South-eastern Asia", "Southern Asia", "Western Asia"),
    "Europe": ("Eastern Europe", "Northern Europe", "Southern Europe", "Western Europe"),
    "Oceania": ("Australia and New Zealand", "Melanesia", "Micronesia", "Polynesia"),
    "Antarctica": ("Antarctic",),
}

# Per region: alpha-2, alpha-3 and English names, `/` between names in use.
COUNTRIES_BY_REGION = {
    "Northern Africa": """
        DZ DZA Algeria; EG EGY Egypt; LY LBY Libya; MA MAR Morocco; SD SDN Sudan; TN TUN
        Tunisia; EH ESH Western Sahara
    """,
    "Eastern Africa": """
        IO IOT British Indian Ocean Territory; BI BDI Burundi; KM COM Comoros; DJ DJI Djibouti;
        ER ERI Eritrea; ET ETH Ethiopia; TF ATF French Southern Territories; KE KEN Kenya; MG
        MDG Madagascar; MW MWI Malawi; MU MUS Mauritius; YT MYT Mayotte; MZ MOZ Mozambique; RE
        REU Réunion/Reunion; RW RWA Rwanda; SC SYC Seychelles; SO SOM Somalia; SS SSD South
        Sudan; TZ TZA Tanzania/United Republic of Tanzania; UG UGA Uganda; ZM ZMB Zambia; ZW ZWE
        Zimbabwe
    """,
    "Middle Africa": """
        AO AGO Angola; CM CMR Cameroon; CF CAF Central African Republic; TD TCD Chad; CG COG
        Congo/Republic of the Congo; CD COD Democratic Republic of the Congo/DR Congo; GQ GNQ
        Equatorial Guinea; GA GAB Gabon; ST STP Sao Tome and Principe
    """,
    "Southern Africa": """
        BW BWA Botswana; SZ SWZ Eswatini/Swaziland; LS LSO Lesotho; NA NAM Namibia; ZA ZAF South
        Africa
    """,
    "Western Africa": """
        BJ BEN Benin; BF BFA Burkina Faso; CV CPV Cabo Verde/Cape Verde; CI CIV Côte
        d'Ivoire/Cote d'Ivoire/Ivory Coast; GM GMB Gambia; GH GHA Ghana; GN GIN Guinea; GW GNB
        Guinea-Bissau; LR LBR Liberia; ML MLI Mali; MR MRT Mauritania; NE NER Niger; NG NGA
        Nigeria; SH SHN Saint Helena; SN SEN Senegal; SL SLE Sierra Leone; TG TGO Togo
    """,
    "Caribbean": """
        AI AIA Anguilla; AG ATG Antigua and Barbuda; AW ABW Aruba; BS BHS Bahamas; BB BRB
        Barbados; BQ BES Bonaire, Sint Eustatius and Saba; VG VGB British Virgin Islands; KY CYM
        Cayman Islands; CU CUB Cuba; CW CUW Curaçao/Curacao; DM DMA Dominica; DO DOM Dominican
        Republic/Dominican-Republic; GD GRD Grenada; GP GLP Guadeloupe; HT HTI Haiti; JM JAM
        Jamaica; MQ MTQ Martinique; MS MSR Montserrat; PR PRI Puerto Rico/Puerto-Rico; BL BLM
        Saint Barthélemy; KN KNA Saint Kitts and Nevis; LC LCA Saint Lucia; MF MAF Saint Martin;
        VC VCT Saint Vincent and the Grenadines; SX SXM Sint Maarten; TT TTO Trinidad and
        Tobago/Trinadad&Tobago; TC TCA Turks and Caicos Islands; VI VIR United States Virgin
        Islands
    """,
    "Central America": """
        BZ BLZ Belize; CR CRI Costa Rica; SV SLV El Salvador/El-Salvador; GT GTM Guatemala; HN
        HND Honduras; MX MEX Mexico; NI NIC Nicaragua; PA PAN Panama
    """,
    "South America": """
        AR ARG Argentina; BO BOL Bolivia; BV BVT Bouvet Island; BR BRA Brazil; CL CHL Chile; CO
        COL Colombia/Columbia; EC ECU Ecuador; FK FLK Falkland Islands; GF GUF French Guiana; GY
        GUY Guyana; PY PRY Paraguay; PE PER Peru; GS SGS South Georgia and the South Sandwich
        Islands; SR SUR Suriname; UY URY Uruguay; VE VEN Venezuela
    """,
    "Northern America": """
        BM BMU Bermuda; CA CAN Canada; GL GRL Greenland; PM SPM Saint Pierre and Miquelon; US
        USA United States/United States of America/United-States
    """,
    "Central Asia": """
        KZ KAZ Kazakhstan; KG KGZ Kyrgyzstan; TJ TJK Tajikistan; TM TKM Turkmenistan; UZ UZB
        Uzbekistan
    """,
    "Eastern Asia": """
        CN CHN China; HK HKG Hong Kong/Hong; MO MAC Macao; JP JPN Japan; MN MNG Mongolia; KP PRK
        North Korea/Democratic People's Republic of Korea; KR KOR South Korea/Republic of Korea;
        TW TWN Taiwan
    """,
    "South-eastern Asia": """
        BN BRN Brunei/Brunei Darussalam; KH KHM Cambodia; ID IDN Indonesia; LA LAO Laos/Lao
        People's Democratic Republic; MY MYS Malaysia; MM MMR Myanmar/Burma; PH PHL Philippines;
        SG SGP Singapore; TH THA Thailand; TL TLS Timor-Leste/East Timor; VN VNM Vietnam/Viet
        Nam
    """,
    "Southern Asia": """
        AF AFG Afghanistan; BD BGD Bangladesh; BT BTN Bhutan; IN IND India; IR IRN Iran; MV MDV
        Maldives; NP NPL Nepal; PK PAK Pakistan; LK LKA Sri Lanka
    """,
    "Western Asia": """
        AM ARM Armenia; AZ AZE Azerbaijan; BH BHR Bahrain; CY CYP Cyprus; GE GEO Georgia; IQ IRQ
        Iraq; IL ISR Israel; JO JOR Jordan; KW KWT Kuwait; LB LBN Lebanon; OM OMN Oman; QA QAT
        Qatar; SA SAU Saudi Arabia; PS PSE Palestine/State of Palestine; SY SYR Syria/Syrian
        Arab Republic; TR TUR Türkiye/Turkey; AE ARE United Arab Emirates; YE YEM Yemen
    """,
    "Eastern Europe": """
        BY BLR Belarus; BG BGR Bulgaria; CZ CZE Czechia/Czech Republic; HU HUN Hungary; PL POL
        Poland; MD MDA Moldova/Republic of Moldova; RO ROU Romania; RU RUS Russia/Russian
        Federation; SK SVK Slovakia; UA UKR Ukraine
    """,
    "Northern Europe": """
        AX ALA Åland Islands; DK DNK Denmark; EE EST Estonia; FO FRO Faroe Islands; FI FIN
        Finland; GG GGY Guernsey; IS ISL Iceland; IE IRL Ireland; IM IMN Isle of Man; JE JEY
        Jersey; LV LVA Latvia; LT LTU Lithuania; NO NOR Norway; SJ SJM Svalbard and Jan Mayen;
        SE SWE Sweden; GB GBR United Kingdom/England/Scotland/Wales/Northern Ireland
    """,
    "Southern Europe": """
        AL ALB Albania; AD AND Andorra; BA BIH Bosnia and Herzegovina; HR HRV Croatia; GI GIB
        Gibraltar; GR GRC Greece; VA VAT Holy See/Vatican City; IT ITA Italy; MT MLT Malta; ME
        MNE Montenegro; MK MKD North Macedonia; PT PRT Portugal; SM SMR San Marino; RS SRB
        Serbia; SI SVN Slovenia; ES ESP Spain
    """,
    "Western Europe": """
        AT AUT Austria; BE BEL Belgium; FR FRA France; DE DEU Germany; LI LIE Liechtenstein; LU
        LUX Luxembourg; MC MCO Monaco; NL NLD Netherlands/Holand-Netherlands; CH CHE Switzerland
    """,
    "Australia and New Zealand": """
        AU AUS Australia; CX CXR Christmas Island; CC CCK Cocos Islands; HM HMD Heard Island and
        McDonald Islands; NZ NZL New Zealand; NF NFK Norfolk Island
    """,
    "Melanesia": """
        FJ FJI Fiji; NC NCL New Caledonia; PG PNG Papua New Guinea; SB SLB Solomon Islands; VU
        VUT Vanuatu
    """,
    "Micronesia": """
        GU GUM Guam; KI KIR Kiribati; MH MHL Marshall Islands; FM FSM Micronesia; NR NRU Nauru;
        MP MNP Northern Mariana Islands; PW PLW Palau; UM UMI United States Minor Outlying
        Islands
    """,
    "Polynesia": """
        AS ASM American Samoa; CK COK Cook Islands; PF PYF French Polynesia; NU NIU Niue; PN PCN
        Pitcairn; WS WSM Samoa; TK TKL Tokelau; TO TON Tonga; TV TUV Tuvalu; WF WLF Wallis and
        Futuna
    """,
    "Antarctic": "AQ ATA Antarctica",
}

# How ISO 3166-1 turns names round, what Eurostat and others write instead of the code, and usual
# other names; the code first.
OTHER_NAMES = """
    BO; Bolivia, Plurinational State of
    CC; Cocos (Keeling) Islands
    CD; Congo, The Democratic Republic of the; Congo, Democratic Republic of the
    CG; Congo Republic
    FK; Falkland Islands (Malvinas)
    FM; Micronesia, Federated States of; Micronesia (Federated States of)
    GB; UK; Great Britain; United Kingdom of Great Britain and Northern Ireland
    GR; EL; Hellas
    IR; Iran, Islamic Republic of; Iran (Islamic Republic of)
    KP; Korea, Democratic People's Republic of
    KR; Korea, Republic of; Korea, South
    MD; Moldova, Republic of
    MF; Saint Martin (French part)
    MO; Macau
    PS; Palestine, State of
    SH; Saint Helena, Ascension and Tristan da Cunha
    SX; Sint Maarten (Dutch part)
    TW; Taiwan, Province of China
    TZ; Tanzania, United Republic of
    VA; Holy See (Vatican City State); Vatican
    VE; Venezuela, Bolivarian Republic of; Venezuela (Bolivarian Republic of)
    VG; Virgin Islands, British
    VI; Virgin Islands, U.S.
"""


def _countries() -> Iterator[tuple[str, list[str], str]]:
    """Yield the region, the names and codes of every country, its usual name first."""
    for region, listed in COUNTRIES_BY_REGION.items():
        for country in listed.split(";"):
            short, long, names = country.split(maxsplit=2)
            spellings = " ".join(names.split()).split("/")
            yield region, [*spellings, short, long], spellings[0]


def _read() -> dict[str, tuple[str, ...]]:
    continent_of = {region: name for name, regions in CONTINENTS.items() for region in regions}
    paths: dict[str, tuple[str, ...]] = {
        name.casefold(): (region, continent_of[region])
        for region, names, _ in _countries()
        for name in names
    }
    for line in OTHER_NAMES.strip().splitlines():
        code, *names = (part.strip() for part in line.split(";"))
        paths |= {name.casefold(): paths[code.casefold()] for name in names}
    # St. Lucia is as good as Saint Lucia.
    saints = {name: path for name, path in paths.items() if name.startswith("saint ")}
    return paths | {f"st. {name.removeprefix('saint ')}": path for name, path in saints.items()}


COUNTRIES = NamedPlaces(
    "countries",
    "Countries",
    "region, continent; by name or ISO code of two or three letters",
    "United Nations Statistics Division, M49; ISO 3166-1 codes; 2024",
    _read(),
    examples=tuple(name for _, _, name in _countries()),
)
