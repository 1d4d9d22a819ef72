"""Sentences that several questions about a network need."""

from deid_portal.engine.networks.questions.setting import NetworkSetting


def beyond_bound(setting: NetworkSetting) -> tuple[str, ...]:
    """Say what is left out before counting."""
    if setting.bound is None:
        return ()
    return (f"Links beyond {setting.bound:,} per person are left out before counting.",)


def within_bound(setting: NetworkSetting) -> str:
    """Say in the middle of a sentence that not every link counts."""
    return "" if setting.bound is None else f" (at most {setting.bound:,} links per person count)"


def who_counts(setting: NetworkSetting) -> str:
    if setting.is_listed:
        return "Everybody in the list of people counts, with or without links."
    return "Only people with at least one link count; nobody else is known."
