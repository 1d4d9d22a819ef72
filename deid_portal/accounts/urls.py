from django.urls import path

from deid_portal.accounts.views import account, invitation, team

app_name = "accounts"
urlpatterns = [
    path("account/team/", account.switch_team, name="switch-team"),
    path("account/theme/", account.set_theme, name="set-theme"),
    path("account/devices/", account.list_sessions, name="sessions"),
    path("account/devices/<int:session_id>/end/", account.end, name="end-session"),
    path("account/devices/end-others/", account.end_others, name="end-other-sessions"),
    path("team/", team.show, name="team"),
    path("team/invite/", team.invite_person, name="invite"),
    path("team/invitations/<uuid:invitation_id>/revoke/", team.revoke, name="revoke-invitation"),
    path("team/people/<int:user_id>/roles/", team.change_roles, name="set-roles"),
    path("join/<str:token>/", invitation.join, name="join"),
]
